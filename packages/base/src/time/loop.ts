/** Does one round of work. Returns the wait before the next one, in ms. Must not throw. */
type Tick = (signal: AbortSignal) => Promise<number>;

/**
 * Runs one round after another, never two at once. `wake()` ends the wait, or skips the next wait if a round is
 * running. After `stop()` has resolved, no round runs.
 */
export class Loop {
  readonly #tick: Tick;
  #stopping = new AbortController();
  #isWoken = false;
  #endWait = () => {};
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
    this.wake();
    await this.#running;
    this.#running = undefined;
  }

  wake(): void {
    this.#isWoken = true;
    this.#endWait();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWoken = false;
      const waitMs = await this.#tick(signal);
      if (!this.#isWoken) await this.#wait(waitMs);
    }
  }

  /**
   * Waits with a plain timer, because `sleep` with a signal takes four times as long (10.6 instead of 2.5 µs a round).
   */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
