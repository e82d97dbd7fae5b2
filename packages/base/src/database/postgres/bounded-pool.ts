import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { withSoftTimeout } from '../../time/soft-timeout.ts';
import { isStoreUnavailable, StoreUnavailable } from '../store-unavailable.ts';

export type Bounds = {
  /** Max time that work can hold a connection, in ms. Includes the wait for the connection and a whole transaction. */
  withinMs: number;
  /** True if a single write gets its own transaction, so that it's certainly undone unless its commit was sent. */
  isAllOrNothing: boolean;
  /** Aborts pending and later work when the process stops. */
  stopping?: AbortSignal | undefined;
};

const endWithinMs = 300;

/**
 * Returns a pool with a time limit. Work that takes longer ends with `StoreUnavailable`, and its connection is closed.
 * Statements that were sent may still reach the server, but no commit follows.
 */
export function boundPool(pool: pg.Pool, bounds: Bounds): PostgresPool {
  return {
    connect: () => checkOut(pool, bounds),
    end: async () => {
      // Wait only briefly for the pool to close, because a connection may still be opening.
      await withSoftTimeout(pool.end(), endWithinMs);
    },
  };
}

async function checkOut(pool: pg.Pool, { withinMs, isAllOrNothing, stopping }: Bounds) {
  const deadline = deadlineAfter(withinMs, stopping);
  const connecting = pool.connect();
  let client: pg.PoolClient;
  try {
    client = await Promise.race([connecting, deadline.passed]);
  } catch (error) {
    deadline.clear();
    // Return the connection to the pool if it opens after the deadline.
    connecting.then((late) => late.release()).catch(() => undefined);
    throw isStoreUnavailable(error) ? new StoreUnavailable('undone', error) : error;
  }
  let away: StoreUnavailable | undefined;
  let isInTransaction = false;

  async function send(text: string, parameters: readonly unknown[]) {
    if (away) throw away;
    try {
      return await Promise.race([client.query(text, [...parameters]), deadline.passed]);
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      const isUndone = isRead(text) || (isInTransaction && text !== 'commit');
      away = new StoreUnavailable(isUndone ? 'undone' : 'unknown', error);
      throw away;
    }
  }

  /** Sends a single write in a transaction. If the connection closes before the commit, nothing is written. */
  async function sendInTransaction(text: string, parameters: readonly unknown[]) {
    await begin();
    try {
      const result = await send(text, parameters);
      await send('commit', []);
      return result;
    } catch (error) {
      if (!away) await send('rollback', []);
      throw error;
    } finally {
      isInTransaction = false;
    }
  }

  async function begin() {
    isInTransaction = true;
    return send('begin', []);
  }

  const bounded = {
    async query(text: string, parameters: readonly unknown[]) {
      if (text === 'begin') return begin();
      if (isAllOrNothing && !isInTransaction && !isRead(text))
        return sendInTransaction(text, parameters);
      try {
        return await send(text, parameters);
      } finally {
        if (text === 'commit' || text === 'rollback') isInTransaction = false;
      }
    },
    release() {
      deadline.clear();
      client.release(away);
    },
  };
  // Cast the type, because Kysely's type has an overload for cursors that this pool doesn't use.
  return bounded as unknown as PostgresPoolClient;
}

const isRead = (text: string): boolean => /^\s*select\b/i.test(text);

/** Creates a deadline. `passed` rejects when the time is over or `stopping` aborts. */
function deadlineAfter(ms: number, stopping: AbortSignal | undefined) {
  let pass = () => {};
  const passed = new Promise<never>((_, reject) => {
    pass = () => reject(new StoreUnavailable('undone'));
  });
  const timer = setTimeout(pass, ms);
  if (stopping?.aborted) pass();
  stopping?.addEventListener('abort', pass);
  // Prevent an unhandled rejection while nothing awaits `passed`.
  passed.catch(() => undefined);
  const clear = () => {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', pass);
  };
  return { passed, clear };
}
