import type { Actor, LocalWorkspace, Message } from 'slack-stand-in';
import type { Try } from './act-log.ts';
import { markedMessages, markOf, offers } from './marked.ts';

export const questionEvent = 'slash_agent_question';

type Parts = {
  workspace: LocalWorkspace;
  attempt: Try;
  /**
   * People who can answer in addition to the creator. They start no runs, so their modals are always question forms.
   */
  answerers: readonly [Actor, Actor];
  /** Writes in the thread of a run, in a way that the app accepts. */
  says(
    actor: Actor,
    thread: { channelId: string; threadTs: string },
    text: string,
  ): Promise<unknown>;
};

/** Lets three people answer an agent at the same time, by buttons, or with a form and replies. */
export function createAnswering({ workspace, attempt, answerers, says }: Parts) {
  const [first, second] = answerers;
  let forms: Promise<unknown> = Promise.resolve();
  let replies = 0;

  /** Finds the newest card, because an earlier card that can't be edited anymore keeps its buttons. */
  const openCard = (requestId: string): Message | undefined =>
    markedMessages(workspace, questionEvent).findLast(
      (each) =>
        markOf(each, 'post').startsWith(`${requestId} `) &&
        (offers(each, 'question:option:') || offers(each, 'question:open')),
    );

  async function answer(creator: Actor, requestId: string): Promise<void> {
    const message = openCard(requestId);
    if (!message) return;
    const post = markOf(message, 'post');
    const about = (actor: Actor) => ({ requestId, actor, message });
    const click = (actor: Actor, option: number) =>
      attempt(about(actor), `option ${option} of ${post}`, () =>
        actor.clicks(placeOf(message), `question:option:${option}`),
      );
    const reply = (actor: Actor) =>
      attempt(about(actor), `reply to ${post}`, () => {
        const { channelId, threadTs = message.ts } = message;
        replies += 1;
        return says(actor, { channelId, threadTs }, `Name ${replies} by ${actor.person.name}`);
      });
    const form = (actor: Actor) =>
      attempt(about(actor), `form of ${post}`, () => {
        const filling = forms.then(() => fillIn(actor, message));
        forms = filling.catch(() => undefined);
        return filling;
      });
    await Promise.all(
      offers(message, 'question:option:')
        ? [click(creator, 0), click(first, 1), click(second, 0)]
        : [form(first), reply(second), reply(creator)],
    );
    await workspace
      .until(() => openCard(requestId)?.ts !== message.ts, { timeoutMs: 3_000 })
      .catch(() => undefined);
  }

  /** Fills in one form after the other, because a person has one stack of modals. */
  async function fillIn(actor: Actor, message: Message): Promise<unknown> {
    await actor.clicks(placeOf(message), 'question:open');
    try {
      await workspace.until(() => actor.modal(), { timeoutMs: 3_000 });
      return await actor.submits({ text: `Name in a form by ${actor.person.name}` });
    } finally {
      if (actor.modal()) await actor.closesModal({ all: true });
    }
  }

  return { answer, openCard };
}

const placeOf = ({ channelId, ts: messageTs }: Message) => ({ channelId, messageTs });
