import type { Actor, LocalWorkspace, Message } from 'slack-stand-in';
import type { Try } from './act-log.ts';
import { markedMessages, markOf, offers } from './marked.ts';

export const questionEvent = 'slash_agent_question';

type Parts = {
  workspace: LocalWorkspace;
  attempt: Try;
  /** People who may answer besides the creator. They start no runs, so their modals are forms of questions. */
  answerers: readonly [Actor, Actor];
  /** Says something in the thread of a run, so that the app takes it. */
  says(
    actor: Actor,
    thread: { channelId: string; threadTs: string },
    text: string,
  ): Promise<unknown>;
};

/** Three people answer an agent at the same time: by buttons, or with a form and replies. */
export function createAnswering({ workspace, attempt, answerers, says }: Parts) {
  const [first, second] = answerers;
  let forms: Promise<unknown> = Promise.resolve();
  let replies = 0;

  /** The last one: an earlier card that can't be edited any more keeps its buttons. */
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

  /** One form after the other: a person has one stack of modals. */
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
