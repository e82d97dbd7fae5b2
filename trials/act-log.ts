import type { Actor, LocalWorkspace, Message } from 'slack-stand-in';

/** Something that a person tried with a run, what Slack's client showed, and what the app said to them since. */
type Tried = { at: string; by: string; what: string; outcome: unknown; told: string[] };

/** A try that Slack refused is no error: people try again. */
export type Try = (
  about: { requestId: string; actor: Actor; message: Pick<Message, 'channelId'> },
  what: string,
  act: () => Promise<unknown>,
) => Promise<void>;

/** What people tried with each run, as evidence if it breaks a promise. */
export function createActLog(workspace: LocalWorkspace) {
  const log = new Map<string, Tried[]>();

  const attempt: Try = async ({ requestId, actor, message }, what, act) => {
    const at = new Date().toISOString();
    const toldBefore = toldTo(actor, message).length;
    // Also what fails at once: a question in direct messages is only for the creator.
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
