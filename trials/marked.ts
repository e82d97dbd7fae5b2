import type { LocalWorkspace, Message } from 'slack-stand-in';

/** Returns the app's messages with metadata of this type, in all conversations. */
export const markedMessages = (workspace: LocalWorkspace, eventType: string): Message[] =>
  workspace.channels
    .flatMap(({ id }) => workspace.messagesIn(id))
    .filter(({ metadata }) => metadata?.['event_type'] === eventType);

/** Returns a field of the metadata, such as the request's ID. */
export const markOf = ({ metadata }: Message, field: string): string => {
  const payload: Record<string, unknown> = { ...Object(metadata?.['event_payload']) };
  return String(payload[field]);
};

/** Returns true if the message has a button or menu with this start of its action ID. */
export const offers = ({ blocks = [] }: Message, actionId: string): boolean =>
  JSON.stringify(blocks).includes(`"action_id":"${actionId}`);
