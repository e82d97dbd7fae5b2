import { createRemoteClock } from '../remote-clock.ts';

export type ServiceClock = ReturnType<typeof createServiceClock>;

/** Limit of remembered entries. Older ones aren't needed, because a create's outcome is known after minutes. */
const mostKept = 10_000;

/** Tracks the service's time, which it learns from `Date` headers or from runs that this client created. */
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
    /** Returns the time by the service's clock in epoch ms; undefined until a response shows it. */
    nowMs: remote.nowMs,

    /** Reads the `Date` header of a response that has just arrived. */
    readDate(date: string | string[] | undefined): void {
      if (remote.readDate(date)) sendsDate = true;
    },

    /** Notes that a create has just returned this run, so the run's `created_at` is about now. */
    sawCreation: (runId: string): void => keep(createdAt, runId),

    /** Learns the time from `created_at` if the service sends no `Date`. */
    readRun({ run_id: runId, created_at: created }: { run_id: string; created_at: string }): void {
      const atMs = createdAt.get(runId);
      if (atMs === undefined || sendsDate) return;
      createdAt.delete(runId);
      remote.learn(Date.parse(created), atMs);
    },

    /** Notes that a create of this request is being sent, or has just failed. */
    markSent: (requestId: string): void => keep(sentAt, requestId),

    /** Returns the time since the request was sent, in ms; undefined if another process sent it. */
    sinceSentMs(requestId: string): number | undefined {
      const atMs = sentAt.get(requestId);
      return atMs === undefined ? undefined : steadyMs() - atMs;
    },
  };
}
