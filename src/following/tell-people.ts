import type { NewNotice, Notice } from '../store/notices.ts';
import { LeaseLost } from '../store/request-leases.ts';
import { doubtFrom } from './doubles.ts';
import { logWaiting } from './log-waiting.ts';
import type { DueAt, FollowingParts } from './parts.ts';
import { postOnce, type Unsettled } from './post-once.ts';
import { endRound, retryDelayMs } from './progress.ts';
import { nudgeAt, readLength } from './queue-sense.ts';
import type { PostOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

type TellingParts = Pick<FollowingParts, 'messages' | 'notices' | 'toTell' | 'lengths' | 'logger'>;

/**
 * Tells people of a request what its message alone does not, each thing once in each place. Comes after the run message
 * shows it, so that whoever follows a mention or a link sees the truth.
 */
export async function tellPeople(parts: TellingParts, tracked: Tracked): Promise<DueAt> {
  const dueTimes = [await point(parts, tracked), await tellNews(parts, tracked)];
  const known = dueTimes.filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Shows a run that stands in a thread in the channel too, when somebody has asked for that. */
async function point(parts: TellingParts, tracked: Tracked): Promise<DueAt> {
  const { id: requestId, pointerAskedBy: userId, pointedAt } = tracked.request;
  if (userId === null || pointedAt !== null) return null;
  const common = { requestId, kind: 'pointer', key: 'pointer channel', toChannel: true } as const;
  await parts.toTell.plan([{ ...common, userId: null, names: [userId], dueAt: Date.now() }]);
  const all = await parts.toTell.list(requestId);
  const dueAt = await postDue(
    parts,
    tracked,
    all.filter(({ kind }) => kind === 'pointer'),
  );
  if (dueAt === null) await tracked.record({ pointedAt: Date.now(), failures: 0 });
  return dueAt;
}

async function tellNews(parts: TellingParts, tracked: Tracked): Promise<DueAt> {
  const { step, repliedAt, id } = tracked.request;
  if (step === 'following') return nudge(parts, tracked);
  const isOver = step === 'ended' || step === 'not_started';
  if (!isOver || repliedAt !== null) return null;
  // An end is on record before anybody hears of it.
  await tracked.record({});
  const waitUntil = await planEnd(parts, tracked, await parts.toTell.list(id));
  if (waitUntil !== null) return waitUntil;
  const ends = (await parts.toTell.list(id)).filter(({ kind }) => kind === 'end');
  const dueAt = await postDue(parts, tracked, ends);
  if (dueAt === null) await tracked.record({ endTold: { step, at: Date.now() }, failures: 0 });
  return dueAt;
}

/** A run that needs its creator says so once; when that has passed before they could be told, nothing is said. */
async function nudge(parts: TellingParts, tracked: Tracked): Promise<DueAt> {
  const { notices, toTell } = parts;
  const at = nudgeAt(tracked.request);
  if (at === null || at > Date.now()) return at;
  const list = async () =>
    (await toTell.list(tracked.request.id)).filter(({ kind }) => kind === 'nudge');
  if ((await list()).length === 0) {
    const planned = await notices.planNudge(tracked.request);
    if (planned.outcome === 'later') return Date.now() + retryDelayMs(1, planned.retryAfterMs);
    await toTell.plan(planned.notices);
  }
  const dueAt = await postDue(parts, tracked, await list());
  if (dueAt === null) await tracked.record({ nudgedAt: Date.now() });
  return dueAt;
}

/** Decides once who is told of this end: a later change of anybody's settings makes no second reply. */
async function planEnd(
  { notices, toTell, lengths }: TellingParts,
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
  await toTell.plan(planned.notices);
  return null;
}

async function postDue(
  parts: TellingParts,
  tracked: Tracked,
  known: readonly Notice[],
): Promise<DueAt> {
  const waits: number[] = [];
  for (const notice of known) {
    if (notice.doneAt !== null) continue;
    const dueAt = notice.dueAt > Date.now() ? notice.dueAt : await tell(parts, tracked, notice);
    if (dueAt !== null) waits.push(dueAt);
  }
  return waits.length > 0 ? Math.min(...waits) : null;
}

async function tell(parts: TellingParts, tracked: Tracked, notice: Notice): Promise<DueAt> {
  const { messages, notices, toTell } = parts;
  const { request, record, check } = tracked;
  let beganAt = 0;
  const outcome = await postOnce({
    beganAt: notice.beganAt,
    nowMs: messages.nowMs,
    post: () => notices.post(request, notice),
    find: () => notices.find(request, notice),
    async begin(now) {
      // What an earlier try has sent may still come to stand beside this.
      if (notice.beganAt !== null) await record(doubtFrom(Date.now()));
      if (!(await toTell.begin(notice, now)))
        throw new LeaseLost(`"${notice.key}" of request ${request.id} is somebody else's now`);
      beganAt = now;
      // Beginning is not fenced by the lease, and this process may have slept.
      await check();
    },
  });
  return keep(parts, tracked, { notice, beganAt }, outcome);
}

async function keep(
  { toTell, logger }: TellingParts,
  { request, record }: Tracked,
  { notice, beganAt }: { notice: Notice; beganAt: number },
  outcome: PostOutcome | Unsettled,
): Promise<DueAt> {
  switch (outcome.outcome) {
    case 'unsettled':
      return outcome.lookAgainAt;
    case 'refused': {
      const { reason } = outcome;
      const instead = insteadOf(notice);
      logger.warn({ requestId: request.id, notice: notice.key, reason }, 'not told there');
      if (instead.length === 0) {
        await toTell.finish(notice, Date.now());
        return null;
      }
      await toTell.move(notice, instead, Date.now());
      return Date.now();
    }
    case 'posted':
      await toTell.finish(notice, Date.now());
      return null;
    case 'later': {
      const failures = request.failures + 1;
      const about = { requestId: request.id, notice: notice.key };
      logWaiting(logger, outcome, about, 'telling waits');
      if (outcome.isUndone) await toTell.takeBack(notice, beganAt);
      await record({ failures });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }
}

/** Where the thread or channel is gone or closed, those who would have been named there get a direct message. */
function insteadOf(notice: Notice): NewNotice[] {
  if (notice.userId !== null) return [];
  const round = notice.key.slice(0, notice.key.lastIndexOf(' '));
  return notice.names.map((userId) => ({
    ...{ requestId: notice.requestId, kind: notice.kind, toChannel: false },
    ...{ key: `${round} ${userId}`, userId, names: [userId], dueAt: Date.now() },
  }));
}
