import { sleep } from 'base/sleep';

/** Does work soon after it was asked for, but not more often than every `gapMs`, and never twice at once. */
export function createThrottle(work: () => Promise<void>, gapMs: number) {
  const ended = new AbortController();
  let isAsked = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isAsked && !ended.signal.aborted) {
      isAsked = false;
      await work();
      await sleep(gapMs, ended.signal);
    }
    running = undefined;
  }

  return {
    ask(): void {
      isAsked = true;
      if (!ended.signal.aborted) running ??= run();
    },
    /** Nothing runs once this has resolved. */
    async end(): Promise<void> {
      ended.abort();
      await running;
    },
  };
}
