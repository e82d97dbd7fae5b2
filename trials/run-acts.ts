import { sleep } from 'base/sleep';
import type { Actor, LocalWorkspace, Message } from 'slack-stand-in';
import { sentReaction } from '../src/slack/replies/reply-answers.ts';
import { createActLog } from './act-log.ts';
import { createAnswering } from './answering.ts';
import { markedMessages, markOf, offers } from './marked.ts';
import type { Random } from './random.ts';

/** Acts on runs, by the first word of their prompt. Other runs end without an act. */
const kinds = { stay: 'cancel', ask: 'answer' } as const;

/** Channel where plain replies go to the run, without a mention. */
export const channelOfReplies = 'C04ENGINEER';

/** Time to wait for a button before a person gives up for now. */
const patience = { timeoutMs: 20_000 };

/** A follow-up. `isConfirmed` returns true once its author can see that the run received it. */
export type Said = { text: string; isConfirmed: () => boolean };

type Act = { actor: Actor; requestId: string };

/** Lets people act on runs that last: write to them, cancel them, and answer their questions. */
export function createRunActs(
  workspace: LocalWorkspace,
  random: Random,
  answerers: readonly [Actor, Actor],
) {
  const { attempt, triedWith } = createActLog(workspace);
  const answering = createAnswering({ workspace, attempt, answerers, says });
  const lasting = new Map<string, Act & { kind: 'cancel' | 'answer' }>();
  const acting: Promise<void>[] = [];
  const said: Said[] = [];
  let stops = 0;

  const cancelable = (requestId: string): Message | undefined =>
    markedMessages(workspace, 'slash_agent_run').find(
      (message) => markOf(message, 'request_id') === requestId && offers(message, 'run:cancel'),
    );

  function says(
    actor: Actor,
    { channelId, threadTs }: { channelId: string; threadTs: string },
    text: string,
  ): Promise<unknown> {
    const mention = channelId === channelOfReplies ? '' : `<@${workspace.bot.userId}> `;
    return actor.types(channelId, `${mention}${text}`, { threadTs });
  }

  async function cancel({ actor, requestId }: Act): Promise<void> {
    const message = cancelable(requestId);
    if (!message) return;
    const { channelId, ts: messageTs } = message;
    const isStop =
      random.chance(0.5) && workspace.sessionStatus(channelId, messageTs) === 'processing';
    if (isStop) stops += 1;
    await attempt({ requestId, actor, message }, isStop ? 'stop' : 'cancel', () =>
      isStop
        ? actor.stops(channelId, messageTs)
        : actor.clicks({ channelId, messageTs }, 'run:cancel'),
    );
    await workspace
      .until(() => !cancelable(requestId), { timeoutMs: 3_000 })
      .catch(() => undefined);
  }

  async function followUp({ actor, requestId }: Act): Promise<void> {
    const message = cancelable(requestId);
    if (!message) return;
    const text = `Follow-up of ${requestId}`;
    const { channelId, ts: threadTs } = message;
    await attempt({ requestId, actor, message }, 'follow-up', () =>
      says(actor, { channelId, threadTs }, text),
    );
    const inThread = () => actor.sees(channelId).filter((each) => each.threadTs === threadTs);
    const isConfirmed = () =>
      inThread().some(
        (each) =>
          each.text.startsWith('Sent') ||
          (each.text.endsWith(text) && each.reactions.some(({ name }) => name === sentReaction)),
      );
    said.push({ text, isConfirmed });
    // Wait for the confirmation with a limit, as most people do.
    const wait = { timeoutMs: random.between(1_000, 10_000) };
    await workspace.until(isConfirmed, wait).catch(() => undefined);
  }

  const untilThere = <T>(find: () => T | undefined): Promise<T | undefined> =>
    workspace.until(find, patience).catch(() => undefined);

  async function cancelLater(act: Act): Promise<void> {
    if (!(await untilThere(() => cancelable(act.requestId)))) return;
    if (random.chance(0.5)) await followUp(act);
    for (let tries = 0; tries < 3 && cancelable(act.requestId); tries += 1) await cancel(act);
  }

  async function answerAll({ actor, requestId }: Act): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) {
      if (!(await untilThere(() => answering.openCard(requestId)))) return;
      await answering.answer(actor, requestId);
    }
  }

  return {
    /** Starts the acts on a run. Call it for each request, once or more. */
    add(requestId: string, actor: Actor, prompt: string): void {
      const kind = Object.entries(kinds).find(([word]) => prompt.startsWith(word))?.[1];
      if (!kind || lasting.has(requestId)) return;
      const act = { requestId, actor };
      lasting.set(requestId, { ...act, kind });
      acting.push(kind === 'cancel' ? cancelLater(act) : answerAll(act));
    },
    /** Waits for the acts during the faults. */
    done: async () => void (await Promise.all(acting)),
    /**
     * Repeats open acts after the faults, less and less often. A reply to a closed question starts another run, and
     * each run delays the messages that tell people so.
     */
    async finish(signal: AbortSignal): Promise<void> {
      const again = async ({ kind, ...act }: Act & { kind: 'cancel' | 'answer' }) =>
        kind === 'cancel' ? cancel(act) : answering.answer(act.actor, act.requestId);
      for (let pauseMs = 1_000; !signal.aborted; pauseMs = Math.min(2 * pauseMs, 30_000)) {
        await Promise.all([...lasting.values()].map(again));
        await sleep(pauseMs, signal);
      }
    },
    triedWith,
    said: () => said,
    stops: () => stops,
  };
}
