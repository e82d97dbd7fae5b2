import type { LocalWorkspace } from 'slack-stand-in';
import { sleep } from '../src/lib/sleep.ts';
import { sentReaction } from '../src/slack/replies/reply-answers.ts';
import type { Db } from '../src/store/schema.ts';
import type { Random } from './random.ts';

type Actor = ReturnType<LocalWorkspace['as']>;
type Message = ReturnType<LocalWorkspace['messagesIn']>[number];

/** Runs with this prompt end only when they are canceled. */
export const lastingPrompt = 'stay';

/** In the threads of this channel, replies count without a mention. */
export const channelOfReplies = 'C04ENGINEER';

/** How long people look for a button before they give up for now. */
const patience = { timeoutMs: 20_000 };

/** A follow-up, and whether its author can see that the run received it. */
type Said = { text: string; isConfirmed: () => boolean };

/** What people do with runs that last: write to them, and cancel them. */
export function createRunActs(workspace: LocalWorkspace, random: Random) {
  const lasting = new Map<string, Actor>();
  const acting: Promise<void>[] = [];
  const said: Said[] = [];
  let stops = 0;

  const cancelable = (requestId: string): Message | undefined =>
    workspace.channels
      .flatMap(({ id }) => workspace.messagesIn(id))
      .find((message) => isAbout(message, requestId) && offersCancel(message));

  async function cancel(actor: Actor, requestId: string): Promise<void> {
    const message = cancelable(requestId);
    if (!message) return;
    const { channelId, ts: messageTs } = message;
    const isStop =
      random.chance(0.5) && workspace.sessionStatus(channelId, messageTs) === 'processing';
    if (isStop) stops += 1;
    const pressed = isStop
      ? actor.stops(channelId, messageTs)
      : actor.clicks({ channelId, messageTs }, 'run:cancel');
    // Slack shows an error, or the message isn't there anymore: people press again.
    await pressed.catch(() => undefined);
    await workspace
      .until(() => !cancelable(requestId), { timeoutMs: 3_000 })
      .catch(() => undefined);
  }

  async function followUp(actor: Actor, requestId: string): Promise<void> {
    const message = cancelable(requestId);
    if (!message) return;
    const text = `Follow-up of ${requestId}`;
    const { channelId, ts: threadTs } = message;
    const mention = channelId === channelOfReplies ? '' : `<@${workspace.bot.userId}> `;
    await actor.types(channelId, `${mention}${text}`, { threadTs }).catch(() => undefined);
    const inThread = () => actor.sees(channelId).filter((each) => each.threadTs === threadTs);
    const isConfirmed = () =>
      inThread().some(
        (each) =>
          each.text.startsWith('Sent') ||
          (each.text.endsWith(text) && each.reactions.some(({ name }) => name === sentReaction)),
      );
    said.push({ text, isConfirmed });
    // Most people wait until the run has it.
    const wait = { timeoutMs: random.between(1_000, 10_000) };
    await workspace.until(isConfirmed, wait).catch(() => undefined);
  }

  async function act(actor: Actor, requestId: string): Promise<void> {
    const found = await workspace
      .until(() => cancelable(requestId), patience)
      .catch(() => undefined);
    if (!found) return;
    if (random.chance(0.5)) await followUp(actor, requestId);
    for (let tries = 0; tries < 3 && cancelable(requestId); tries += 1)
      await cancel(actor, requestId);
  }

  return {
    /** Call it for each request that lasts, once or more. */
    add(requestId: string, actor: Actor): void {
      if (lasting.has(requestId)) return;
      lasting.set(requestId, actor);
      acting.push(act(actor, requestId));
    },
    /** Resolves when people are done during the faults. */
    done: async () => void (await Promise.all(acting)),
    /** When the faults are over, people cancel what they couldn't cancel before. */
    async cancelRest(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        for (const [requestId, actor] of lasting) await cancel(actor, requestId);
        await sleep(1_000, signal);
      }
    },
    said: () => said,
    stops: () => stops,
  };
}

const isAbout = ({ metadata }: Message, requestId: string): boolean =>
  metadata?.['event_type'] === 'slash_agent_run' &&
  JSON.stringify(metadata['event_payload']).includes(`"${requestId}"`);

const offersCancel = ({ blocks }: Message): boolean =>
  JSON.stringify(blocks ?? []).includes('"run:cancel"');

/** What the runs service took twice or not at all, although the app said so. */
export async function compareActs(
  { bot, service }: { bot: Db; service: Db },
  said: readonly Said[],
) {
  const taken = await service.selectFrom('service_run_followups').selectAll().execute();
  const count = (text: string) => taken.filter(({ message }) => message.includes(text)).length;
  // A reply to a run that has ended starts the next one.
  const prompts = await service.selectFrom('service_runs').select(['id', 'prompt']).execute();
  const isTaken = (text: string) =>
    count(text) > 0 || prompts.some(({ prompt }) => prompt.includes(text));
  const canceled = await bot
    .selectFrom('requests')
    .select(['id', 'run_state'])
    .where('cancel_asked_by', 'is not', null)
    .execute();
  return {
    canceled: canceled.map(({ id }) => id),
    followUps: taken.length,
    lostCancels: canceled.filter((each) => each.run_state !== 'CANCELLED').map(({ id }) => id),
    lostFollowUps: said
      .filter(({ text, isConfirmed }) => isConfirmed() && !isTaken(text))
      .map(({ text }) => text),
    duplicateFollowUps: said.filter(({ text }) => count(text) > 1).map(({ text }) => text),
  };
}
