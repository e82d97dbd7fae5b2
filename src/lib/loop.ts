import { sleep } from './sleep.ts';

/** Does one round of work and returns how many milliseconds to wait before the next. Must not throw. */
export type Tick = (signal: AbortSignal) => Promise<number>;

/**
 * One round after another, never two at once. `wake()` ends the wait, or skips the next one if a round is running, so
 * new work starts soon. When `stop()` has resolved, no round runs.
 */
export class Loop {
  readonly #tick: Tick;
  #stopping = new AbortController();
  #nap = new AbortController();
  #running: Promise<void> | undefined;

  constructor(tick: Tick) {
    this.#tick = tick;
  }

  start(): void {
    if (this.#running) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#nap.abort();
    await this.#running;
    this.#running = undefined;
  }

  wake(): void {
    // With a reason: otherwise Node creates an error, for every request.
    this.#nap.abort('woken');
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const waitMs = await this.#tick(signal);
      // Not `AbortSignal.any`: the signal that outlives the nap would keep a reference to each one.
      await sleep(waitMs, this.#nap.signal);
    }
  }
}
