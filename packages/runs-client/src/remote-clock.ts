/** Answers arrive late: readings that differ by less say nothing new. */
const jitterMs = 500;
/** A `Date` header has whole seconds. */
const dateWidthMs = 1_000;

/**
 * The time of somebody else, learned from what they send and carried on by a clock that nobody can set. Our own time of
 * day may be minutes off, or change while we wait.
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
    /** Epoch milliseconds there; undefined until something has told. */
    nowMs: (): number | undefined => at(steadyMs()),

    /** It was `epochMs` there at `atMs` of the steady clock, or up to `widthMs` later. */
    learn,

    /** Takes the `Date` header of an answer that has just come; answers whether there was one. */
    readDate(date: string | string[] | null | undefined): boolean {
      const epochMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      learn(epochMs, steadyMs(), dateWidthMs);
      return !Number.isNaN(epochMs);
    },
  };
}
