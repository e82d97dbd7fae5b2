import type { DueAt } from '../lib/leased-work.ts';
import { retryDelayMs } from '../lib/retry-delay.ts';
import type { FollowingParts } from './parts.ts';
import { endRound } from './progress.ts';
import type { DuplicatesOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

/**
 * A post by a killed, frozen or slow replica may arrive after another replica looked for it and posted again. So every
 * second post records when to look for duplicates. See
 * docs/decisions/005-duplicate-posts-are-found-and-deleted-later.md.
 */
const checksAfterMs = [5_000, 30_000];

/** What to record when something is posted although an earlier try may still arrive. */
export const suspectDuplicateAt = (now: number) => ({
  duplicateSuspectedAt: now,
  duplicatesCheckAt: nextCheckAt(now, now),
});

/** When to look for duplicates next; null when none can arrive any more. */
export function nextCheckAt(duplicateSuspectedAt: number, now: number): number | null {
  return checksAfterMs.map((ms) => duplicateSuspectedAt + ms).find((at) => at > now) ?? null;
}

type RemovingParts = Pick<FollowingParts, 'messages' | 'notices' | 'noticeStore' | 'logger'>;

/** Removes duplicates of the message and of replies when it is time to look. */
export async function removeDuplicates(parts: RemovingParts, tracked: Tracked): Promise<DueAt> {
  const { request, record } = tracked;
  const { duplicateSuspectedAt, duplicatesCheckAt } = request;
  if (duplicateSuspectedAt === null || duplicatesCheckAt === null) return null;
  // Which message stays isn't known before it is posted.
  if (request.step === 'accepted' || request.pendingPost !== null) return null;
  if (Date.now() < duplicatesCheckAt) return duplicatesCheckAt;
  const retryAfterMs =
    (await removeReplies(parts, tracked)) ??
    (await removeFound(parts, tracked, await parts.messages.findDuplicates(request)));
  if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  const nextAt = nextCheckAt(duplicateSuspectedAt, Date.now());
  await record({ duplicatesChecked: { duplicateSuspectedAt, nextAt } });
  return nextAt;
}

/**
 * Removes the message that another one replaces, and the replies in its thread.
 * @returns after how long to try again; undefined when nothing is left to do
 */
export async function removeReplaced(
  parts: RemovingParts,
  tracked: Tracked,
): Promise<number | undefined> {
  const { replacedChannelId: channelId, replacedMessageTs: ts } = tracked.request;
  if (!channelId || !ts) return undefined;
  const replaced = { outcome: 'found', places: [{ channelId, ts }] } as const;
  return (await removeReplies(parts, tracked)) ?? (await removeFound(parts, tracked, replaced));
}

/** Comes before messages are removed: a reply must not stay below a message that is gone. */
async function removeReplies(parts: RemovingParts, tracked: Tracked): Promise<number | undefined> {
  const { request, check } = tracked;
  const { notices, noticeStore } = parts;
  for (const notice of await noticeStore.list(request.id)) {
    if (notice.beganAt === null) continue;
    const found = await notices.findDuplicates(request, notice);
    const isCurrent = notice.kind === 'end' && notice.key.startsWith(endRound(request));
    if (found.outcome === 'found' && found.isMisplaced && notice.doneAt !== null && isCurrent) {
      await check();
      await noticeStore.reopen(notice);
    }
    const retryAfterMs = await removeFound(parts, tracked, found);
    if (retryAfterMs !== undefined) return retryAfterMs;
  }
  return undefined;
}

async function removeFound(
  { messages, logger }: RemovingParts,
  { request, check }: Tracked,
  found: DuplicatesOutcome,
): Promise<number | undefined> {
  const { id: requestId } = request;
  if (found.outcome === 'later') return found.retryAfterMs;
  if (found.outcome === 'refused') {
    logger.warn({ requestId, reason: found.reason }, 'could not look for duplicates');
    return undefined;
  }
  for (const place of found.places) {
    // Another replica that has the request now may have made this its message.
    await check();
    const removed = await messages.remove(place);
    if (removed.outcome === 'later') return removed.retryAfterMs;
    logger.info({ requestId, ...place, ...removed }, 'duplicate found');
  }
  return undefined;
}
