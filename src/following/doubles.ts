import type { DueAt, FollowingParts } from './parts.ts';
import { endRound, retryDelayMs } from './progress.ts';
import type { DoublesOutcome } from './run-messages.ts';
import type { Tracked } from './track.ts';

/**
 * A post by a killed, frozen or slow replica may arrive after the look and the second post. So a second post records
 * when to look for duplicates. See docs/decisions/005-duplicate-posts-are-found-and-deleted-later.md.
 */
const looksAfterMs = [5_000, 30_000];

/** What to record when something is posted although an earlier try may still come to stand. */
export const doubtFrom = (now: number) => ({
  doubtedAt: now,
  doublesLookAt: nextLookAt(now, now),
});

/** When to look next for a double; null when none can come any more. */
export function nextLookAt(doubtedAt: number, now: number): number | null {
  return looksAfterMs.map((ms) => doubtedAt + ms).find((at) => at > now) ?? null;
}

type RemovingParts = Pick<FollowingParts, 'messages' | 'notices' | 'toTell' | 'logger'>;

/** Removes duplicates of the message and of replies when it is time to look. */
export async function removeDoubles(parts: RemovingParts, tracked: Tracked): Promise<DueAt> {
  const { request, record } = tracked;
  const { doubtedAt, doublesLookAt } = request;
  if (doubtedAt === null || doublesLookAt === null) return null;
  // Which message is to stay is not known yet: posting comes first.
  if (request.step === 'accepted' || request.postAnew !== null) return null;
  if (Date.now() < doublesLookAt) return doublesLookAt;
  const retryAfterMs =
    (await removeReplies(parts, tracked)) ??
    (await removeFound(parts, tracked, await parts.messages.findDoubles(request)));
  if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  const nextAt = nextLookAt(doubtedAt, Date.now());
  await record({ doublesLook: { doubtedAt, nextAt } });
  return nextAt;
}

/**
 * Removes the message that was given up for another one, and what hangs below it.
 * @returns after how long to try again; undefined when nothing is left to do
 */
export async function removeLost(
  parts: RemovingParts,
  tracked: Tracked,
): Promise<number | undefined> {
  const { lostChannelId: channelId, lostMessageTs: ts } = tracked.request;
  if (!channelId || !ts) return undefined;
  const lost = { outcome: 'found', places: [{ channelId, ts }] } as const;
  return (await removeReplies(parts, tracked)) ?? (await removeFound(parts, tracked, lost));
}

/** Goes before the messages: a reply must never hang below a message that is gone. */
async function removeReplies(parts: RemovingParts, tracked: Tracked): Promise<number | undefined> {
  const { request, check } = tracked;
  const { notices, toTell } = parts;
  for (const notice of await toTell.list(request.id)) {
    if (notice.beganAt === null) continue;
    const found = await notices.findDoubles(request, notice);
    const isCurrent = notice.kind === 'end' && notice.key.startsWith(endRound(request));
    if (found.outcome === 'found' && found.isMisplaced && notice.doneAt !== null && isCurrent) {
      await check();
      await toTell.reopen(notice);
    }
    const retryAfterMs = await removeFound(parts, tracked, found);
    if (retryAfterMs !== undefined) return retryAfterMs;
  }
  return undefined;
}

async function removeFound(
  { messages, logger }: RemovingParts,
  { request, check }: Tracked,
  found: DoublesOutcome,
): Promise<number | undefined> {
  const { id: requestId } = request;
  if (found.outcome === 'later') return found.retryAfterMs;
  if (found.outcome === 'refused') {
    logger.warn({ requestId, reason: found.reason }, 'cannot look for duplicates');
    return undefined;
  }
  for (const place of found.places) {
    // Whoever has the request now may have moved its message here.
    await check();
    const removed = await messages.remove(place);
    if (removed.outcome === 'later') return removed.retryAfterMs;
    logger.info({ requestId, ...place, ...removed }, 'a duplicate was found');
  }
  return undefined;
}
