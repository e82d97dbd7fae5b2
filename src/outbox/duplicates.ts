import type { DueAt } from 'base/leased-work';
import { retryDelayMs } from 'base/time/retry-delay';
import type { PostPlace } from '../store/outbox/outbox-row.ts';
import type { OutboxDeps } from './outbox-deps.ts';
import type { OpenPost } from './post-kind.ts';
import type { TrackedPost } from './track-post.ts';

/**
 * Times to search for duplicates, in ms after the post. A post by a killed, frozen or slow replica may arrive after
 * another replica searched for it and posted again. See docs/architecture.md.
 */
const checksAfterMs = [5_000, 30_000];

/** Returns changes that schedule a search for duplicates, because an earlier try of the post may still arrive. */
export const suspectDuplicateAt = (now: number) => ({
  suspectedAt: now,
  checkAt: nextCheckAt(now, now),
});

/** Returns the time of the next search for duplicates. Null when no duplicate can arrive anymore. */
export function nextCheckAt(suspectedAt: number, now: number): number | null {
  return checksAfterMs.map((ms) => suspectedAt + ms).find((at) => at > now) ?? null;
}

/** Removes duplicates of a post if a search is due. Also removes the message that the post replaced. */
export async function removeDuplicates(
  deps: OutboxDeps,
  tracked: TrackedPost,
  open: OpenPost,
): Promise<DueAt> {
  const { post, record } = tracked;
  const { suspectedAt, checkAt } = post;
  if (suspectedAt === null || checkAt === null) return null;
  // Wait until the post exists, because before that it isn't clear which copy to keep.
  if (post.state === 'waiting') return null;
  if (Date.now() < checkAt) return checkAt;
  const retryAfterMs = (await removeReplaced(deps, tracked)) ?? (await removeCopies());
  if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  const nextAt = nextCheckAt(suspectedAt, Date.now());
  // Forget a reply's replaced message only now, because the search for copies needs it.
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

/**
 * Removes the message that this one replaced.
 * @returns when to try again, in ms; undefined when nothing is left to remove
 */
export async function removeReplaced(
  deps: OutboxDeps,
  tracked: TrackedPost,
): Promise<number | undefined> {
  const { post } = tracked;
  if (post.replaced === null) return undefined;
  // Wait if a reply is still below the old message, because its thread would lose its first message.
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
    // Check the lease first, because another replica may have taken over the post and kept this message.
    await check();
    const removed = await remove({ channelId, ts });
    if (removed.outcome === 'later') return removed.retryAfterMs;
    logger.info({ post: post.id, channelId, ts, ...removed }, 'duplicate found');
  }
  return undefined;
}
