import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Loop } from 'base/time/loop';
import type { RunFeed, RunNews } from '../store/run-changes.ts';

/** Time between polls, which serve all readers. It's longer after a quiet minute. */
const pollMs = { usual: 25, quiet: 200 };
const quietAfterMs = 60_000;
/** Wait without readers. A new reader ends it. */
const idleMs = 60_000;
const retryMs = 1_000;

/** Limit of changes at once. Above it, readers list runs instead. */
const mostChanges = 5_000;
const mostRepeated = 1_000;

/** Time that a poll looks back for changes that were committed late, and time between longer looks, in ms. */
const lateMs = { usual: 1_000, long: 30_000, longEvery: 5_000 };
/** Time before its cursor that a reader gets again, for the same reason. */
const repeatedMs = 5_000;

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/**
 * Sends changes of runs to everyone who follows them, including changes by other service processes. A change can come
 * twice or out of order. See docs/architecture.md.
 */
export function createChangeFeed(feed: RunFeed, logger: Logger) {
  const readers = new Set<FeedReader>();
  /** Undefined while nobody reads. */
  let newest: number | undefined;
  let changedAt = 0;
  let lookFarAt = 0;
  /** Changes that were sent recently, with their times. */
  const given = new Map<string, number>();
  const loop = new Loop(tick);

  async function tick(): Promise<number> {
    if (readers.size === 0) {
      newest = undefined;
      given.clear();
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
   * Remembers recent changes. Later polls send those that aren't visible yet.
   * @returns the time of the newest change
   */
  async function open(): Promise<number> {
    if (feed.mayCommitLate) remember(await feed.since(Date.now() - lateMs.long, mostChanges));
    return feed.newest();
  }

  /** @returns the time of the newest change */
  async function poll(known: number): Promise<number> {
    const found = await feed.since(lookFrom(known), mostChanges + 1);
    if (found.length > mostChanges) {
      const cursor = await feed.newest();
      for (const reader of readers) reader.reset(cursor);
      return cursor;
    }
    const fresh = found.filter(({ id, updated_at: at }) => given.get(id) !== at);
    if (fresh.length === 0) return known;
    changedAt = Date.now();
    if (feed.mayCommitLate) remember(fresh);
    for (const reader of readers) reader.push(fresh);
    return Math.max(known, ...fresh.slice(-1).map(({ updated_at: at }) => at));
  }

  function lookFrom(known: number): number {
    if (!feed.mayCommitLate) return known;
    const now = Date.now();
    const isFar = now >= lookFarAt;
    if (isFar) lookFarAt = now + lateMs.longEvery;
    return Math.min(known, now - (isFar ? lateMs.long : lateMs.usual));
  }

  function remember(fresh: readonly RunNews[]): void {
    for (const { id, updated_at: at } of fresh) {
      given.delete(id);
      given.set(id, at);
    }
    for (const [id, at] of given) {
      if (at > Date.now() - 2 * lateMs.long) break;
      given.delete(id);
    }
  }

  /** Later changes follow, because the next poll begins before this read. */
  async function begin(reader: FeedReader): Promise<void> {
    const cursor = await feed.newest();
    const { from } = reader;
    const repeated =
      from === undefined || from > cursor
        ? undefined
        : await feed.since(from - repeatedMs, mostRepeated + 1);
    reader.hasBegun = true;
    if (!repeated || repeated.length > mostRepeated) reader.reset(cursor);
    else reader.push(repeated);
  }

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),

    /** Yields changes from now on, or since `from`, and an empty batch now and then. Ends with the signal. */
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

/** `cursor` is the time of a change: a reader that continues gets what came after it. */
export type FeedEvent =
  | { kind: 'change'; cursor: number; run: RunNews }
  | { kind: 'reset'; cursor: number };

export type FeedReaderOptions = {
  /** The cursor of the last event of an earlier stream; undefined for a new one. */
  from: number | undefined;
  sees: (run: RunNews) => boolean;
  /** Max wait for a change, in ms. */
  waitMs: number;
  signal: AbortSignal;
  /** Called once if the reader is too slow. */
  onTooSlow: () => void;
};

const mostPending = 10_000;

/** Queue of events for one reader. */
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

  /** Returns all events that wait, or waits for one. */
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
