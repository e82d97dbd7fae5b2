/** Brings what was written onto the disk; whoever comes while it is at work shares its next turn. */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** The turn that the disk is at, if it is at one; never rejects. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Resolves when all that is written now is on the disk. A turn that has begun may have missed it. */
  request(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#underWay) return this.#begin();
    this.#next = this.#underWay.then(() => {
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
        this.#underWay = undefined;
      });
    this.#underWay = over;
    return flushed;
  }
}
