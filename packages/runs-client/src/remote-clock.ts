/** Max difference between two learned times that is ignored, in ms. Responses arrive with a delay. */
const jitterMs = 500;
/** Precision of a `Date` header in ms, because it has whole seconds. */
const dateWidthMs = 1_000;

/**
 * Tracks the time on another machine. Between responses, a monotonic clock advances the time, because the local time of
 * day may be wrong or change.
 */
export function createRemoteClock(steadyMs: () => number = () => performance.now()) {
  let learned: { epochMs: number; atMs: number } | undefined;
  const at = (momentMs: number): number | undefined =>
    learned && Math.round(learned.epochMs + momentMs - learned.atMs);

  function learn(epochMs: number, atMs = steadyMs(), widthMs = 0): void {
    if (Number.isNaN(epochMs)) return;
    const carriedMs = at(atMs);
    const isKnown =
      carriedMs !== undefined &&
      carriedMs >= epochMs - jitterMs &&
      carriedMs <= epochMs + widthMs + jitterMs;
    if (!isKnown) learned = { epochMs, atMs };
  }

  return {
    /** Returns the time on the other machine in epoch ms. Returns undefined until a response contains the time. */
    nowMs: (): number | undefined => at(steadyMs()),

    /**
     * Learns that the other machine's time was `epochMs`, or up to `widthMs` later, at `atMs` of the monotonic clock.
     */
    learn,

    /**
     * Learns the time from the `Date` header of a response that has just arrived. Returns true if the header has a
     * date.
     */
    readDate(date: string | string[] | null | undefined): boolean {
      const epochMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      learn(epochMs, steadyMs(), dateWidthMs);
      return !Number.isNaN(epochMs);
    },
  };
}
