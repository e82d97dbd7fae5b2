import type { DueAt } from '../lib/leased-work.ts';
import { LeaseLost } from '../lib/leased-work.ts';
import { retryDelayMs } from '../lib/retry-delay.ts';
import type { NewNotice, Notice } from '../store/outbox/notices.ts';
import { suspectDuplicateAt } from './duplicates.ts';
import { nudgeAt, readLength } from './expected-times.ts';
import { logWaiting } from './log-waiting.ts';
import type { FollowingParts } from './parts.ts';
import { postOnce, type Unsettled } from './post-once.ts';
import { endRound } from './progress.ts';
import type { PostOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

type NotifyingParts = Pick<
  FollowingParts,
  'messages' | 'notices' | 'noticeStore' | 'lengths' | 'logger'
>;

/**
 * Posts the notices of a request, each once in each place. Comes after the run message is up to date, because people
 * follow the notice to it.
 */
export async function notifyPeople(parts: NotifyingParts, tracked: Tracked): Promise<DueAt> {
  const dueTimes = [await postPointer(parts, tracked), await notifyState(parts, tracked)];
  const known = dueTimes.filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Also shows a run whose message is in a thread in the channel, after someone pressed *Show in channel*. */
async function postPointer(parts: NotifyingParts, tracked: Tracked): Promise<DueAt> {
  const { id: requestId, pointerAskedBy: userId, pointedAt } = tracked.request;
  if (userId === null || pointedAt !== null) return null;
  const common = { requestId, kind: 'pointer', key: 'pointer channel', toChannel: true } as const;
  await parts.noticeStore.plan([{ ...common, userId: null, names: [userId], dueAt: Date.now() }]);
  const all = await parts.noticeStore.list(requestId);
  const dueAt = await postDue(
    parts,
    tracked,
    all.filter(({ kind }) => kind === 'pointer'),
  );
  if (dueAt === null) await tracked.record({ pointedAt: Date.now(), failures: 0 });
  return dueAt;
}

async function notifyState(parts: NotifyingParts, tracked: Tracked): Promise<DueAt> {
  const { step, endNotifiedAt, id } = tracked.request;
  if (step === 'following') return nudge(parts, tracked);
  const isOver = step === 'ended' || step === 'not_started';
  if (!isOver || endNotifiedAt !== null) return null;
  // The end is stored before anyone reads of it.
  await tracked.record({});
  const waitUntil = await planEnd(parts, tracked, await parts.noticeStore.list(id));
  if (waitUntil !== null) return waitUntil;
  const ends = (await parts.noticeStore.list(id)).filter(({ kind }) => kind === 'end');
  const dueAt = await postDue(parts, tracked, ends);
  if (dueAt === null) await tracked.record({ endNotified: { step, at: Date.now() }, failures: 0 });
  return dueAt;
}

/** Once per run. Nothing is posted if the run stopped waiting before it could be. */
async function nudge(parts: NotifyingParts, tracked: Tracked): Promise<DueAt> {
  const { notices, noticeStore } = parts;
  const at = nudgeAt(tracked.request);
  if (at === null || at > Date.now()) return at;
  const list = async () =>
    (await noticeStore.list(tracked.request.id)).filter(({ kind }) => kind === 'nudge');
  if ((await list()).length === 0) {
    const planned = await notices.planNudge(tracked.request);
    if (planned.outcome === 'later') return Date.now() + retryDelayMs(1, planned.retryAfterMs);
    await noticeStore.plan(planned.notices);
  }
  const dueAt = await postDue(parts, tracked, await list());
  if (dueAt === null) await tracked.record({ nudgedAt: Date.now() });
  return dueAt;
}

/** Decides once who gets a notice of this end, so that later changes of settings cause no second reply. */
async function planEnd(
  { notices, noticeStore, lengths }: NotifyingParts,
  { request }: Tracked,
  known: readonly Notice[],
): Promise<DueAt> {
  const round = endRound(request);
  if (known.some(({ key }) => key.startsWith(round))) return null;
  await notices.mark(request);
  const length = readLength(request);
  if (length) await lengths.note(length);
  const planned = await notices.planEnd(request);
  if (planned.outcome === 'later') return Date.now() + retryDelayMs(1, planned.retryAfterMs);
  await noticeStore.plan(planned.notices);
  return null;
}

async function postDue(
  parts: NotifyingParts,
  tracked: Tracked,
  known: readonly Notice[],
): Promise<DueAt> {
  const waits: number[] = [];
  for (const notice of known) {
    if (notice.doneAt !== null) continue;
    const dueAt =
      notice.dueAt > Date.now() ? notice.dueAt : await postNotice(parts, tracked, notice);
    if (dueAt !== null) waits.push(dueAt);
  }
  return waits.length > 0 ? Math.min(...waits) : null;
}

async function postNotice(parts: NotifyingParts, tracked: Tracked, notice: Notice): Promise<DueAt> {
  const { messages, notices, noticeStore } = parts;
  const { request, record, check } = tracked;
  let beganAt = 0;
  const outcome = await postOnce({
    beganAt: notice.beganAt,
    nowMs: messages.nowMs,
    post: () => notices.post(request, notice),
    find: () => notices.find(request, notice),
    async begin(now) {
      // What an earlier try sent may still arrive.
      if (notice.beganAt !== null) await record(suspectDuplicateAt(Date.now()));
      if (!(await noticeStore.begin(notice, now)))
        throw new LeaseLost(
          `"${notice.key}" of request ${request.id} belongs to another replica now`,
        );
      beganAt = now;
      // `begin` isn't fenced by the lease, and this process may have been frozen.
      await check();
    },
  });
  return applyOutcome(parts, tracked, { notice, beganAt }, outcome);
}

async function applyOutcome(
  { noticeStore, logger }: NotifyingParts,
  { request, record }: Tracked,
  { notice, beganAt }: { notice: Notice; beganAt: number },
  outcome: PostOutcome | Unsettled,
): Promise<DueAt> {
  switch (outcome.outcome) {
    case 'unsettled':
      return outcome.lookAgainAt;
    case 'refused': {
      const { reason } = outcome;
      const instead = directInsteadOf(notice);
      logger.warn({ requestId: request.id, notice: notice.key, reason }, 'notice refused');
      if (instead.length === 0) {
        await noticeStore.finish(notice, Date.now());
        return null;
      }
      await noticeStore.move(notice, instead, Date.now());
      return Date.now();
    }
    case 'posted':
      await noticeStore.finish(notice, Date.now());
      return null;
    case 'later': {
      const failures = request.failures + 1;
      const about = { requestId: request.id, notice: notice.key };
      logWaiting(logger, outcome, about, 'notice waits');
      if (outcome.isUndone) await noticeStore.takeBack(notice, beganAt);
      await record({ failures });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }
}

/** If the thread or channel is gone or closed, the people named there get direct messages. */
function directInsteadOf(notice: Notice): NewNotice[] {
  if (notice.userId !== null) return [];
  const round = notice.key.slice(0, notice.key.lastIndexOf(' '));
  return notice.names.map((userId) => ({
    ...{ requestId: notice.requestId, kind: notice.kind, toChannel: false },
    ...{ key: `${round} ${userId}`, userId, names: [userId], dueAt: Date.now() },
  }));
}
