/** Responses arrive late: smaller differences mean nothing. */
const jitterMs = 500;
/** A `Date` header has whole seconds. */
const dateWidthMs = 1_000;

/**
 * The time on another machine, learned from its responses and carried on by a monotonic clock. The local time of day
 * may be minutes off, or change during a wait.
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
    /** Epoch milliseconds there; undefined until known. */
    nowMs: (): number | undefined => at(steadyMs()),

    /** The time there was `epochMs`, or up to `widthMs` later, at `atMs` of the monotonic clock. */
    learn,

    /** Takes the `Date` header of a response that has just come; returns whether it has a date. */
    readDate(date: string | string[] | null | undefined): boolean {
      const epochMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      learn(epochMs, steadyMs(), dateWidthMs);
      return !Number.isNaN(epochMs);
    },
  };
}
