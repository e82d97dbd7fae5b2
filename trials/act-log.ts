import type { Actor, LocalWorkspace, Message } from 'slack-stand-in';

/** An act of a person on a run, with the result in Slack's client and the app's later messages to them. */
type Tried = { at: string; by: string; what: string; outcome: unknown; told: string[] };

/** Does an act and logs it. An act that Slack rejects isn't an error, because people try again. */
export type Try = (
  about: { requestId: string; actor: Actor; message: Pick<Message, 'channelId'> },
  what: string,
  act: () => Promise<unknown>,
) => Promise<void>;

/** Logs people's acts on each run, as evidence if it breaks a promise. */
export function createActLog(workspace: LocalWorkspace) {
  const log = new Map<string, Tried[]>();

  const attempt: Try = async ({ requestId, actor, message }, what, act) => {
    const at = new Date().toISOString();
    const toldBefore = toldTo(actor, message).length;
    // Also catch acts that throw at once, because a question in direct messages is only for the creator.
    const outcome = await Promise.resolve().then(act).catch(String);
    const told = toldTo(actor, message).slice(toldBefore);
    const tried = { at, by: actor.person.id, what, outcome, told };
    log.set(requestId, [...(log.get(requestId) ?? []), tried]);
  };

  const toldTo = (actor: Actor, { channelId }: Pick<Message, 'channelId'>): string[] =>
    workspace
      .messagesIn(channelId)
      .filter(({ visibleTo }) => visibleTo === actor.person.id)
      .map(({ text }) => text);

  return { attempt, triedWith: (requestId: string) => log.get(requestId) ?? [] };
}
