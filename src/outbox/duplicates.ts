import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { OutboxDeps } from './outbox-deps.ts';
import type { OpenPost } from './post-kind.ts';
import type { TrackedPost } from './track-post.ts';

/**
 * A post by a killed, frozen or slow replica may arrive after another replica looked for it and posted again. So every
 * second post records when to look for duplicates. See
 * docs/architecture.md.
 */
const checksAfterMs = [5_000, 30_000];

/** Returns the changes to record when something is posted although an earlier try may still arrive. */
export const suspectDuplicateAt = (now: number) => ({
  suspectedAt: now,
  checkAt: nextCheckAt(now, now),
});

/** Returns the time of the next search for duplicates; null when none can arrive anymore. */
export function nextCheckAt(suspectedAt: number, now: number): number | null {
  return checksAfterMs.map((ms) => suspectedAt + ms).find((at) => at > now) ?? null;
}

/** Removes duplicates when it is time to look, and the message that this one replaced. */
export async function removeDuplicates(
  deps: OutboxDeps,
  tracked: TrackedPost,
  open: OpenPost,
): Promise<DueAt> {
  const { post, record } = tracked;
  const { suspectedAt, checkAt } = post;
  if (suspectedAt === null || checkAt === null) return null;
  // Which one stays isn't known before it is posted.
  if (post.state === 'waiting') return null;
  if (Date.now() < checkAt) return checkAt;
  const retryAfterMs = (await removeReplaced(deps, tracked)) ?? (await removeCopies());
  if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  const nextAt = nextCheckAt(suspectedAt, Date.now());
  // The search for replies needs to know which message was replaced.
  const isReply = post.id !== post.requestId;
  await record({ duplicatesChecked: { suspectedAt, nextAt }, ...(isReply && { replaced: null }) });
  return nextAt;

  async function removeCopies(): Promise<number | undefined> {
    const found = await open.findCopies();
    if (found.outcome === 'later') return found.retryAfterMs;
    if (found.outcome === 'found')
      return removeAll(deps, tracked, found.places.filter(isOther(tracked)));
    const { reason } = found;
    deps.logger.warn({ post: post.id, reason }, 'could not look for duplicates');
    return undefined;
  }
}

const isOther =
  ({ post: { place, replaced } }: TrackedPost) =>
  ({ ts }: PostPlace) =>
    ts !== place?.ts && ts !== replaced?.ts;

/** @returns after how long to try again; undefined when nothing is left to do */
export async function removeReplaced(
  deps: OutboxDeps,
  tracked: TrackedPost,
): Promise<number | undefined> {
  const { post } = tracked;
  if (post.replaced === null) return undefined;
  // A reply must not stay below a message that is gone.
  const others = post.requestId === post.id ? await deps.store.outbox.ofRequest(post.id) : [];
  const isReplyThere = others.some(({ id, replaced }) => id !== post.id && replaced !== null);
  if (isReplyThere) return 0;
  return removeAll(deps, tracked, [post.replaced]);
}

async function removeAll(
  { remove, logger }: OutboxDeps,
  { post, check }: TrackedPost,
  places: readonly PostPlace[],
): Promise<number | undefined> {
  for (const { channelId, ts } of places) {
    // Another replica that has the post now may have made this one its own.
    await check();
    const removed = await remove({ channelId, ts });
    if (removed.outcome === 'later') return removed.retryAfterMs;
    logger.info({ post: post.id, channelId, ts, ...removed }, 'duplicate found');
  }
  return undefined;
}
