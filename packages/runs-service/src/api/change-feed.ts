import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Loop } from 'base/time/loop';
import type { ChangedRun, RunFeed } from '../store/run-changes.ts';

/** Time between polls, in ms. One poll serves all readers. Polls are slower after a quiet minute. */
const pollMs = { usual: 25, quiet: 200 };
const quietAfterMs = 60_000;
/** Max wait between polls while there are no readers, in ms. A new reader ends the wait. */
const idleMs = 60_000;
const retryMs = 1_000;

/** Max changes in one poll. If there are more, readers get a `reset` event, and list the runs instead. */
const maxChanges = 5_000;
const maxRepeated = 1_000;

/**
 * Time in ms that polls read back, to find changes that were committed late. Every `longEvery` ms, a poll reads back by
 * `long`.
 */
const lateMs = { usual: 1_000, long: 30_000, longEvery: 5_000 };
/** Time in ms before a reader's cursor from which changes are sent again. Some of them may have been committed late. */
const repeatedMs = 5_000;

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/**
 * Sends run changes to all readers, including changes by other service processes. A change can arrive twice or out of
 * order. See docs/architecture.md.
 */
export function createChangeFeed(feed: RunFeed, logger: Logger) {
  const readers = new Set<FeedReader>();
  /** Time of the newest change that was read. Undefined while there are no readers. */
  let newest: number | undefined;
  let changedAt = 0;
  let readBackAt = 0;
  /** Recently sent changes: run IDs with the times of their changes. */
  const sent = new Map<string, number>();
  const loop = new Loop(tick);

  async function tick(): Promise<number> {
    if (readers.size === 0) {
      newest = undefined;
      sent.clear();
      return idleMs;
    }
    try {
      newest = newest === undefined ? await open() : await poll(newest);
      for (const reader of readers) if (!reader.hasBegun) await begin(reader);
      return Date.now() - changedAt > quietAfterMs ? pollMs.quiet : pollMs.usual;
    } catch (error) {
      logger.error({ err: error }, 'changes of runs not read; trying again');
      return retryMs;
    }
  }

  /**
   * Starts polling from now. Marks recent changes as sent, so that reading back only finds late commits.
   * @returns the time of the newest change
   */
  async function open(): Promise<number> {
    if (feed.canCommitLate) remember(await feed.since(Date.now() - lateMs.long, maxChanges));
    return feed.newest();
  }

  /**
   * Reads the changes after `known` and sends them to all readers.
   * @returns the time of the newest change
   */
  async function poll(known: number): Promise<number> {
    const found = await feed.since(pollFrom(known), maxChanges + 1);
    if (found.length > maxChanges) {
      const cursor = await feed.newest();
      for (const reader of readers) reader.reset(cursor);
      return cursor;
    }
    const fresh = found.filter(({ id, updated_at: at }) => sent.get(id) !== at);
    if (fresh.length === 0) return known;
    changedAt = Date.now();
    if (feed.canCommitLate) remember(fresh);
    for (const reader of readers) reader.push(fresh);
    return Math.max(known, ...fresh.slice(-1).map(({ updated_at: at }) => at));
  }

  function pollFrom(known: number): number {
    if (!feed.canCommitLate) return known;
    const now = Date.now();
    const isFar = now >= readBackAt;
    if (isFar) readBackAt = now + lateMs.longEvery;
    return Math.min(known, now - (isFar ? lateMs.long : lateMs.usual));
  }

  function remember(fresh: readonly ChangedRun[]): void {
    for (const { id, updated_at: at } of fresh) {
      sent.delete(id);
      sent.set(id, at);
    }
    for (const [id, at] of sent) {
      if (at > Date.now() - 2 * lateMs.long) break;
      sent.delete(id);
    }
  }

  /**
   * Sends a reader its first events. The next poll also finds changes that are made during this function, so none is
   * missed.
   */
  async function begin(reader: FeedReader): Promise<void> {
    const cursor = await feed.newest();
    const { from } = reader;
    const repeated =
      from === undefined || from > cursor
        ? undefined
        : await feed.since(from - repeatedMs, maxRepeated + 1);
    reader.hasBegun = true;
    if (!repeated || repeated.length > maxRepeated) reader.reset(cursor);
    else reader.push(repeated);
  }

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),

    /** Yields batches of changes from now on, or since `from`. A batch can be empty. Ends when the signal aborts. */
    async *follow(options: FeedReaderOptions) {
      const reader = new FeedReader(options);
      readers.add(reader);
      loop.wake();
      try {
        while (!options.signal.aborted) yield await reader.take();
      } finally {
        readers.delete(reader);
      }
    },
  };
}

/**
 * Event for a reader. The cursor is the time of the change. A reader that reconnects with the cursor gets later
 * changes.
 */
export type FeedEvent =
  | { kind: 'change'; cursor: number; run: ChangedRun }
  | { kind: 'reset'; cursor: number };

export type FeedReaderOptions = {
  /** Cursor of the last event of the reader's earlier stream. Undefined for a new reader. */
  from: number | undefined;
  sees: (run: ChangedRun) => boolean;
  /** Max wait for a change, in ms. */
  waitMs: number;
  signal: AbortSignal;
  /** Called once if the reader is too slow. */
  onTooSlow: () => void;
};

const maxPending = 10_000;

/** Queues the events for one reader. */
export class FeedReader {
  /** True once the reader knows its start cursor. Earlier events are dropped. */
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

  push(runs: readonly ChangedRun[]): void {
    const { sees, onTooSlow } = this.#options;
    if (!this.hasBegun || this.#pending.length > maxPending) return;
    for (const run of runs)
      if (sees(run)) this.#pending.push({ kind: 'change', cursor: run.updated_at, run });
    if (this.#pending.length > maxPending) onTooSlow();
    this.#wake();
  }

  reset(cursor: number): void {
    if (!this.hasBegun) return;
    this.#pending = [{ kind: 'reset', cursor }];
    this.#wake();
  }

  /** Returns all pending events. If there are none, waits up to `waitMs` for one. */
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
