import { type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';
import { isDiskFull, StoreUnavailable } from '../store-unavailable.ts';
import { parseOnce } from './parsed-statements.ts';
import { shareFlush } from './shared-flush.ts';

/** Members of better-sqlite3's interface that this driver uses. */
export type SyncDatabase = SqliteDatabase & {
  exec(sql: string): unknown;
  readonly inTransaction: boolean;
};

/** A commit is on disk when a `flush()` that was called after it has resolved. */
export type Disk = { flush(): Promise<void>; close(): Promise<void> };

/**
 * SQLite dialect for Kysely that confirms a write when its commit is on disk. See
 * docs/decisions/007-sqlite-writes-are-few-and-share-a-flush.md.
 */
export class FlushedSqliteDialect extends SqliteDialect {
  readonly #database: SyncDatabase;
  readonly #disk: Disk;

  constructor(database: SyncDatabase, disk: Disk) {
    super({ database });
    this.#database = database;
    this.#disk = disk;
  }

  override createDriver(): FlushedDriver {
    return new FlushedDriver(this.#database, this.#disk);
  }
}

/**
 * Flushes before a connection is released, because Kysely then returns the result. Only one statement or transaction
 * has the connection at a time.
 */
class FlushedDriver extends SqliteDriver {
  readonly #database: SyncDatabase;
  readonly #disk: Disk;
  readonly #flush: () => Promise<void>;
  readonly #written: { since: boolean };
  #latestFlush = Promise.resolve();

  constructor(database: SyncDatabase, disk: Disk) {
    const written = { since: false };
    const prepare = parseOnce(database);
    super({
      database: {
        prepare(sql) {
          const statement = prepare(sql);
          if (statement.isRead) return statement;
          written.since = true;
          return {
            reader: statement.reader,
            all: (given) => unlessFull(() => statement.all(given)),
            run: (given) => unlessFull(() => statement.run(given)),
            iterate: (given) => statement.iterate(given),
          };
        },
        close: () => database.close(),
      },
    });
    this.#written = written;
    this.#database = database;
    this.#disk = disk;
    this.#flush = shareFlush(() => disk.flush().catch(maybeKept));
  }

  /**
   * Waits for the writers of other processes at the start of the transaction, because SQLite can't wait at its first
   * write.
   */
  override async beginTransaction(): Promise<void> {
    unlessFull(() => this.#database.exec('begin immediate'));
  }

  /** Kysely also calls this after a failed commit. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }

  override async releaseConnection(): Promise<void> {
    const mustFlush = this.#written.since;
    this.#written.since = false;
    await super.releaseConnection();
    if (!mustFlush) return;
    this.#latestFlush = this.#flush();
    await this.#latestFlush;
  }

  override async destroy(): Promise<void> {
    // If the flush fails, so do the writes that wait for it.
    await Promise.allSettled([this.#latestFlush]);
    await this.#disk.close();
    await super.destroy();
  }
}

/**
 * Translates "disk full" to `StoreUnavailable`. SQLite undoes a write that finds no space, and with it the whole
 * transaction.
 */
function unlessFull<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isDiskFull(error) ? new StoreUnavailable('undone', error) : error;
  }
}

/** Throws for a failed flush: the commit is in the log, but maybe not on disk. */
function maybeKept(error: unknown): never {
  throw isDiskFull(error) ? new StoreUnavailable('unknown', error) : error;
}
