import { createRemoteClock } from '../remote-clock.ts';

export type ServiceClock = ReturnType<typeof createServiceClock>;

/**
 * Max number of remembered IDs. Older ones aren't needed, because the outcome of a create request is known after
 * minutes.
 */
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
    /** Returns the time by the service's clock in epoch ms. Returns undefined until a response contains the time. */
    nowMs: remote.nowMs,

    /** Reads the `Date` header of a response that has just arrived. */
    readDate(date: string | string[] | undefined): void {
      if (remote.readDate(date)) sendsDate = true;
    },

    /** Saves that a create request has just returned this run. Its `created_at` is therefore about now. */
    sawCreation: (runId: string): void => keep(createdAt, runId),

    /** Learns the service's time from a run's `created_at`, if the service sends no `Date` header. */
    readRun({ run_id: runId, created_at: created }: { run_id: string; created_at: string }): void {
      const atMs = createdAt.get(runId);
      if (atMs === undefined || sendsDate) return;
      createdAt.delete(runId);
      remote.learn(Date.parse(created), atMs);
    },

    /** Saves the current time for a create request that is being sent, or has just failed. */
    markSent: (requestId: string): void => keep(sentAt, requestId),

    /** Returns the time since the request was sent, in ms. Returns undefined if another process sent it. */
    sinceSentMs(requestId: string): number | undefined {
      const atMs = sentAt.get(requestId);
      return atMs === undefined ? undefined : steadyMs() - atMs;
    },
  };
}
