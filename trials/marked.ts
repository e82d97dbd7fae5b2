import type { LocalWorkspace, Message } from 'slack-stand-in';

/** All messages of the app with metadata of this type, in all conversations. */
export const markedMessages = (workspace: LocalWorkspace, eventType: string): Message[] =>
  workspace.channels
    .flatMap(({ id }) => workspace.messagesIn(id))
    .filter(({ metadata }) => metadata?.['event_type'] === eventType);

/** A field of the metadata, such as the id of the request. */
export const markOf = ({ metadata }: Message, field: string): string => {
  const payload: Record<string, unknown> = { ...Object(metadata?.['event_payload']) };
  return String(payload[field]);
};

/** Whether a message has a button or menu, by the start of its action id. */
export const offers = ({ blocks = [] }: Message, actionId: string): boolean =>
  JSON.stringify(blocks).includes(`"action_id":"${actionId}`);
