import { inSpan } from 'base/in-span';
import { type DueAt, LeasedWork, type LeasedWorkReport, LeaseLost } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { Post, PostChanges } from '../store/outbox/outbox-row.ts';
import { removeDuplicates, removeReplaced } from './duplicates.ts';
import { keepStatus } from './keep-status.ts';
import type { OutboxDeps, OutboxReports, OutboxStore } from './outbox-deps.ts';
import type { KeptPost } from './post-kind.ts';
import { sendPost } from './send-post.ts';
import { showPost } from './show-post.ts';
import { type TrackedPost, trackPost } from './track-post.ts';

const leaseMs = 5_000;
const atOnce = 20;
/** Time until another replica can take a post of a kind that this version doesn't know, in ms. */
const unknownKindRetryMs = 10_000;

type OutboxWorkerDeps = Pick<OutboxDeps, 'nowMs' | 'wakeFollower' | 'logger'> & {
  store: OutboxStore;
  /** Returns the kinds of posts in a workspace, and the function that removes its messages. */
  of(teamId: string): Pick<OutboxDeps, 'kinds' | 'remove'>;
  reports?: (OutboxReports & { onWork?(work: LeasedWorkReport): void }) | undefined;
};

/**
 * Posts everything in the outbox to Slack exactly once, and keeps it current. Any number of workers can share a store.
 */
export function createOutboxWorker(deps: OutboxWorkerDeps): LeasedWork<Post, PostChanges> {
  const { store, of, nowMs, wakeFollower, reports } = deps;
  return new LeasedWork({
    what: 'post',
    leases: store.leases,
    atOnce,
    leaseMs,
    task(post) {
      const tracked = trackPost(store.leases, post);
      const { kind, teamId, requestId } = post;
      const { kinds, remove } = of(teamId);
      const logger = deps.logger.child({ teamId, ...(requestId !== null && { requestId }) });
      return {
        run: (signal) =>
          inSpan('post', { kind, teamId }, () =>
            workOnPost(
              { store, kinds, remove, nowMs, wakeFollower, reports, logger },
              tracked,
              signal,
            ),
          ),
        changes: tracked.notes,
      };
    },
    onWork: reports?.onWork,
    logger: deps.logger,
  });
}

/**
 * Takes one leased post as far as it can go now: posts it, updates it, removes duplicates. Each step is recorded before
 * the next one begins, so a crash repeats none. See docs/decisions/003-posts-are-rows-of-one-outbox.md.
 */
export async function workOnPost(
  deps: OutboxDeps,
  tracked: TrackedPost,
  signal: AbortSignal,
): Promise<DueAt> {
  try {
    return await takeSteps(deps, tracked, signal);
  } catch (error) {
    // Schedule a search for duplicates and another update, because this process was frozen or too slow. Its last
    // write may be a duplicate, or may have replaced what another replica wrote.
    if (error instanceof LeaseLost)
      await deps.store.leases.suspectDuplicate(tracked.post.id, Date.now());
    throw error;
  }
}

async function takeSteps(
  deps: OutboxDeps,
  tracked: TrackedPost,
  signal: AbortSignal,
): Promise<DueAt> {
  const { post } = tracked;
  const kind = deps.kinds[post.kind];
  if (!kind) {
    // Leave the post for a replica with a newer version, which planned it and knows its kind.
    deps.logger.info({ post: post.id, kind: post.kind }, 'unknown kind of post waits');
    return Date.now() + unknownKindRetryMs;
  }
  if ('readStatus' in kind) {
    const wanted = await kind.readStatus(post);
    return wanted ? keepStatus(deps, tracked, wanted) : null;
  }
  const open = await kind.open(post);
  if (!open) {
    deps.logger.debug({ post: post.id }, 'nothing to post any more');
    // Remove a moved reply's message from the old thread. The reply stays due until that message is gone.
    const retryAfterMs = await removeReplaced(deps, tracked);
    if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
    tracked.note({ state: 'done', replaced: null });
    // Check again when the next search for duplicates is due, because an earlier try may have posted the message.
    return post.state === 'waiting' ? post.checkAt : null;
  }
  const sendDueAt = tracked.post.state === 'waiting' ? await sendPost(deps, tracked, open) : null;
  if (signal.aborted) return Date.now();
  const showDueAt = open.kept ? await showAndTell(deps, tracked, open.kept) : null;
  if (signal.aborted) return Date.now();
  return soonest([sendDueAt, showDueAt, await removeDuplicates(deps, tracked, open)]);
}

/**
 * Updates a message, then notifies people of its new state. They open the message from the notification, so it must be
 * current.
 */
async function showAndTell(deps: OutboxDeps, tracked: TrackedPost, kept: KeptPost): Promise<DueAt> {
  const { dueAt, isCurrent } = await showPost(deps, tracked, kept);
  if (!isCurrent) return dueAt;
  const notified = await kept.whenCurrent(tracked);
  const notifyAt =
    notified.outcome === 'later'
      ? Date.now() + retryDelayMs(1, notified.retryAfterMs)
      : notified.dueAt;
  return soonest([dueAt, notifyAt]);
}

function soonest(times: readonly DueAt[]): DueAt {
  return times.reduce((one, other) => (one === null ? other : Math.min(one, other ?? one)), null);
}
