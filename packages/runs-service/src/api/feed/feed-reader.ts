import { sleep } from 'base/sleep';
import type { RunNews } from '../../store/run-changes.ts';

/** `cursor` is the time of a change: a reader that continues gets what came after it. */
export type FeedEvent =
  | { kind: 'change'; cursor: number; run: RunNews }
  | { kind: 'reset'; cursor: number };

export type FeedReaderOptions = {
  /** The cursor of the last event of an earlier stream; undefined for a new one. */
  from: number | undefined;
  sees: (run: RunNews) => boolean;
  /** How long to wait for a change. */
  waitMs: number;
  signal: AbortSignal;
  /** Called once if the reader doesn't take what comes. */
  onTooSlow: () => void;
};

const mostPending = 10_000;

/** What waits for one reader. */
export class FeedReader {
  /** Whether it got where it begins. */
  hasBegun = false;
  readonly from: number | undefined;
  readonly #options: FeedReaderOptions;
  #pending: FeedEvent[] = [];
  #nap = new AbortController();

  constructor(options: FeedReaderOptions) {
    this.#options = options;
    this.from = options.from;
    options.signal.addEventListener('abort', () => this.#nap.abort('over'), { once: true });
  }

  push(runs: readonly RunNews[]): void {
    const { sees, onTooSlow } = this.#options;
    if (!this.hasBegun || this.#pending.length > mostPending) return;
    for (const run of runs)
      if (sees(run)) this.#pending.push({ kind: 'change', cursor: run.updated_at, run });
    if (this.#pending.length > mostPending) onTooSlow();
    this.#wake();
  }

  reset(cursor: number): void {
    if (!this.hasBegun) return;
    this.#pending = [{ kind: 'reset', cursor }];
    this.#wake();
  }

  /** All that waits, at once if there is something. */
  async take(): Promise<FeedEvent[]> {
    const { signal, waitMs } = this.#options;
    if (this.#pending.length === 0 && !signal.aborted) await sleep(waitMs, this.#nap.signal);
    this.#nap = new AbortController();
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  #wake(): void {
    if (this.#pending.length > 0) this.#nap.abort('woken');
  }
}
