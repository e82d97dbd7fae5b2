export type ServiceClock = ReturnType<typeof createServiceClock>;

/** Only recent creates are looked for. */
const mostKept = 10_000;

/**
 * The service's time, learned from its answers and carried on by a clock that nobody can set: our own time of day may be
 * minutes off, or change while we wait.
 */
export function createServiceClock(steadyMs: () => number = () => performance.now()) {
  let learned: { serviceMs: number; atMs: number; isDate: boolean } | undefined;
  const createdAt = new Map<string, number>();
  const sentAt = new Map<string, number>();

  function keep(kept: Map<string, number>, id: string): void {
    kept.delete(id);
    kept.set(id, steadyMs());
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  }

  return {
    /** Epoch milliseconds by the service's clock; undefined until an answer has told. */
    nowMs: (): number | undefined =>
      learned && Math.round(learned.serviceMs + steadyMs() - learned.atMs),

    /** The `Date` header of an answer that has just come; it has whole seconds. */
    readDate(date: string | string[] | undefined): void {
      const serviceMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      if (!Number.isNaN(serviceMs)) learned = { serviceMs, atMs: steadyMs(), isDate: true };
    },

    /** A create has just been answered with this run: its `created_at` will tell the time. */
    sawCreation: (runId: string): void => keep(createdAt, runId),

    /** For services that send no `Date`. */
    readRun({ run_id: runId, created_at: created }: { run_id: string; created_at: string }): void {
      const atMs = createdAt.get(runId);
      if (atMs === undefined || learned?.isDate) return;
      createdAt.delete(runId);
      const serviceMs = Date.parse(created);
      if (!Number.isNaN(serviceMs)) learned = { serviceMs, atMs, isDate: false };
    },

    /** A create of this request has just been given up. */
    markSent: (requestId: string): void => keep(sentAt, requestId),

    /** How long ago that was; undefined for another process's. */
    sinceSentMs(requestId: string): number | undefined {
      const atMs = sentAt.get(requestId);
      return atMs === undefined ? undefined : steadyMs() - atMs;
    },
  };
}
