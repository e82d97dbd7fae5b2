import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { retryDelayMs } from './progress.ts';
import type { DoublesOutcome } from './run-messages.ts';

/**
 * A post of somebody who was killed, frozen or slow may come to stand after it was looked for in vain and made anew.
 * So a post that is begun a second time leaves a duty in its row: to look, this long after, for a double.
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

/** Takes away what stands twice, message or reply, when it is time to look. */
export async function removeDoubles(
  parts: Pick<FollowingParts, 'messages' | 'notices' | 'toTell' | 'logger'>,
  { request, record, check }: Tracked,
): Promise<DueAt> {
  const { messages, notices, toTell, logger } = parts;
  const { id: requestId, doubtedAt, doublesLookAt } = request;
  if (doubtedAt === null || doublesLookAt === null) return null;
  // Which message is to stay is not known yet: posting comes first.
  if (request.step === 'accepted' || request.postAnew !== null) return null;
  if (Date.now() < doublesLookAt) return doublesLookAt;
  const told = (await toTell.list(requestId)).filter(({ beganAt }) => beganAt !== null);
  const looks = [
    () => messages.findDoubles(request),
    ...told.map((notice) => () => notices.findDoubles(request, notice)),
  ];
  for (const look of looks) {
    const retryAfterMs = await removeFound(look);
    if (retryAfterMs !== undefined) return Date.now() + retryDelayMs(1, retryAfterMs);
  }
  const nextAt = nextLookAt(doubtedAt, Date.now());
  await record({ doublesLook: { doubtedAt, nextAt } });
  return nextAt;

  /** @returns after how long to try again; undefined when nothing is left to do */
  async function removeFound(look: () => Promise<DoublesOutcome>): Promise<number | undefined> {
    const found = await look();
    if (found.outcome === 'later') return found.retryAfterMs;
    if (found.outcome === 'refused') {
      logger.warn({ requestId, reason: found.reason }, 'cannot look for doubles');
      return undefined;
    }
    for (const place of found.places) {
      // Whoever has the request now may have moved its message here.
      await check();
      const removed = await messages.remove(place);
      if (removed.outcome === 'later') return removed.retryAfterMs;
      logger.info({ requestId, ...place, ...removed }, 'a double was found');
    }
    return undefined;
  }
}
