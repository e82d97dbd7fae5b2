import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { RunFeed, RunNews } from '../../store/run-changes.ts';
import { FeedReader, type FeedReaderOptions } from './feed-reader.ts';

/** The same poll serves all readers. After a quiet minute it's slower. */
const pollMs = { usual: 25, quiet: 200 };
const quietAfterMs = 60_000;
/** Without readers, nothing is read until one comes. */
const idleMs = 60_000;
const retryMs = 1_000;

/** With more changes at once, readers list runs instead. */
const mostChanges = 5_000;
const mostRepeated = 1_000;

/** How far back a poll looks for changes that were committed late, and how often it looks further. */
const lateMs = { usual: 1_000, long: 30_000, longEvery: 5_000 };
/** What a reader that continues gets again, for the same reason. */
const repeatedMs = 5_000;

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/**
 * Gives changes of runs to all who follow them, also changes that another service process wrote. A change may come twice
 * or out of order. See docs/protocol.md.
 */
export function createChangeFeed(feed: RunFeed, logger: Logger) {
  const readers = new Set<FeedReader>();
  /** Undefined while nobody reads. */
  let newest: number | undefined;
  let changedAt = 0;
  let lookFarAt = 0;
  /** What was given out lately, with its time. */
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

  /** Later polls give out what isn't visible yet. @returns the time of the newest change */
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

    /** Changes from now on, or since `from`; an empty batch now and then. Ends with the signal. */
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
