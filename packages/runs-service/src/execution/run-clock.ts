export type RunClock = {
  limitMs: number;
  /** Aborts when the time is over. */
  expired: AbortSignal;
  pause(): void;
  resume(): void;
  /** Leaves no timer behind. */
  stop(): void;
};

/** Limits the time of a run. The clock stands still while a person is asked. */
export function createRunClock(limitMs: number): RunClock {
  const expired = new AbortController();
  let leftMs = limitMs;
  let since = Date.now();
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    since = Date.now();
    timer = setTimeout(() => expired.abort(), Math.min(leftMs, maxTimerMs));
  }
  start();

  return {
    limitMs,
    expired: expired.signal,
    pause(): void {
      clearTimeout(timer);
      leftMs = Math.max(1, leftMs - (Date.now() - since));
    },
    resume: start,
    stop: () => clearTimeout(timer),
  };
}
/** Node fires longer timers at once. */
const maxTimerMs = 2 ** 31 - 1;
