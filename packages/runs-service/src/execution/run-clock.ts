export type RunClock = {
  limitMs: number;
  /** Aborts when the run's time limit is reached. */
  expired: AbortSignal;
  /** Stops the time. It continues when each pause was followed by a call of `resume`. */
  pause(): void;
  resume(): void;
  /** Stops the clock's timer, after the run has ended. */
  stop(): void;
};

/**
 * Creates a clock that limits the time of a run. It's paused while the run waits for a person's answer. Such waits can
 * overlap.
 */
export function createRunClock(limitMs: number): RunClock {
  const expired = new AbortController();
  let leftMs = limitMs;
  let since = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;

  function start(): void {
    since = Date.now();
    timer = setTimeout(() => expired.abort(), Math.min(leftMs, maxTimerMs));
  }
  start();

  return {
    limitMs,
    expired: expired.signal,
    pause(): void {
      pauses += 1;
      if (pauses > 1) return;
      clearTimeout(timer);
      leftMs = Math.max(1, leftMs - (Date.now() - since));
    },
    resume(): void {
      pauses -= 1;
      if (pauses === 0) start();
    },
    stop: () => clearTimeout(timer),
  };
}
/** Longest timer, in ms. Node fires longer ones immediately. */
const maxTimerMs = 2 ** 31 - 1;
