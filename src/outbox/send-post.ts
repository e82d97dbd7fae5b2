import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import { removeReplaced, suspectDuplicateAt } from './duplicates.ts';
import type { OutboxDeps } from './outbox-deps.ts';
import type { OpenPost } from './post-kind.ts';
import { logWaiting, postOnce } from './post-once.ts';
import type { TrackedPost } from './track-post.ts';

/**
 * Posts exactly one message. After an interrupted try, searches for it before posting again.
 * @returns when to try again
 */
export async function sendPost(
  deps: OutboxDeps,
  tracked: TrackedPost,
  open: OpenPost,
): Promise<DueAt> {
  const { logger, nowMs } = deps;
  const { messages, outbox } = deps.store;
  const { post, begin, record } = tracked;
  const { kept } = open;
  const waitMs = (await kept?.waitMs('post')) ?? 0;
  if (waitMs > 0) return postpone(Date.now() + waitMs);
  // Remove a reply's old message before posting the reply again, because two would notify people twice. A run
  // message is posted again before its old message is removed.
  const retryAfterMs = kept ? undefined : await removeReplaced(deps, tracked);
  if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  if (!kept && post.replaced !== null) tracked.note({ replaced: null });
  const beganBefore = post.beganAt;
  let shown = kept?.shown ?? null;
  const outcome = await postOnce({
    beganAt: beganBefore,
    nowMs,
    // Record a possible duplicate if there was an earlier try, because its message may still arrive.
    begin: (beganAt) =>
      begin({ beganAt, ...(beganBefore !== null && suspectDuplicateAt(Date.now())) }),
    prepare: open.prepare,
    post: open.post,
    async find() {
      const found = await open.find();
      // Mark the found message as outdated, because it shows the state at the time of the earlier try.
      if (found.outcome === 'posted') shown = 'an earlier state';
      return found;
    },
  });
  switch (outcome.outcome) {
    case 'unsettled':
      return postpone(outcome.checkAgainAt);
    case 'posted': {
      const { place } = outcome;
      const isReplacing = kept && tracked.post.replaced !== null;
      const again = isReplacing ? suspectDuplicateAt(Date.now()) : {};
      const state = kept ? 'posted' : 'done';
      const changes = { state, place, failures: 0, shown, ...again } as const;
      await record(changes, kept && messages.posted);
      deps.reports?.onPosted?.({ kind: post.kind, ms: Date.now() - post.createdAt });
      if (kept) deps.wakeFollower();
      return null;
    }
    case 'rejected': {
      const { reason } = outcome;
      logger[kept ? 'error' : 'warn']({ post: post.id, kind: post.kind, reason }, 'post rejected');
      const isMoved = open.instead.length > 0;
      const state = isMoved ? 'moved' : 'done';
      // Remove the message that this one should have replaced, because it shows an old state.
      const last = tracked.post.replaced && suspectDuplicateAt(Date.now());
      const changes = { state, ...last } as const;
      await record(changes, (lease, all) =>
        kept ? messages.rejected(lease, all, reason) : outbox.planUnder(lease, all, open.instead),
      );
      return null;
    }
    case 'later': {
      const failures = post.failures + 1;
      logWaiting(logger, outcome, { post: post.id }, 'post waits');
      // Keep the start of an earlier try, whose message may still arrive. Only this try certainly posted nothing.
      await record({ failures, ...(outcome.isUndone && { beganAt: beganBefore }) });
      const retryAt = Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
      const isBusy = outcome.isUndone && !outcome.isQuiet;
      return isBusy || outcome.isLasting ? postpone(retryAt) : retryAt;
    }
  }

  /** Delays a post, and lets its run start before the message is posted. */
  async function postpone(dueAt: number): Promise<DueAt> {
    if (!kept || post.request?.step !== 'accepted') return dueAt;
    await messages.postponed(post.id);
    deps.wakeFollower();
    return dueAt;
  }
}
