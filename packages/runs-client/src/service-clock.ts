import { createRemoteClock } from './remote-clock.ts';

export type ServiceClock = ReturnType<typeof createServiceClock>;

/** Only recent creates are looked for. */
const mostKept = 10_000;

/** The service's time, from the `Date` of its answers, else from the runs that we saw it create. */
export function createServiceClock(steadyMs: () => number = () => performance.now()) {
  const remote = createRemoteClock(steadyMs);
  let sendsDate = false;
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
    nowMs: remote.nowMs,

    /** The header of an answer that has just come. */
    readDate(date: string | string[] | undefined): void {
      if (remote.readDate(date)) sendsDate = true;
    },

    /** A create has just been answered with this run: its `created_at` will tell the time. */
    sawCreation: (runId: string): void => keep(createdAt, runId),

    /** For services that send no `Date`. */
    readRun({ run_id: runId, created_at: created }: { run_id: string; created_at: string }): void {
      const atMs = createdAt.get(runId);
      if (atMs === undefined || sendsDate) return;
      createdAt.delete(runId);
      remote.learn(Date.parse(created), atMs);
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
