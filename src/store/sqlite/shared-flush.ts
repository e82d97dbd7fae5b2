/** Flushes to disk. Requests that arrive during a flush share the next one. */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** The current flush, if there is one; never rejects. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves when everything written so far is on disk. The current flush may have missed it. */
  request(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    this.#next = this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const flushed = this.#flush();
    const over = flushed
      .catch(() => undefined)
      .then(() => {
        this.#running = undefined;
      });
    this.#running = over;
    return flushed;
  }
}
