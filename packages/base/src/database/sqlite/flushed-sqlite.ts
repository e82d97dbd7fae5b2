import { type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';
import { isDiskFull, StoreUnavailable } from '../store-unavailable.ts';
import { parseOnce } from './parsed-statements.ts';
import { shareFlush } from './shared-flush.ts';

/** Members of better-sqlite3's interface that this driver uses. */
export type SyncDatabase = SqliteDatabase & {
  exec(sql: string): unknown;
  readonly inTransaction: boolean;
};

/** Flushes a database's write-ahead log. When `flush()` resolves, all commits before the call are on disk. */
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
 * Flushes a write before its connection is released, so that Kysely returns the result only once it's on disk. Only one
 * statement or transaction has the connection at a time.
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

  /** Begins a transaction with the write lock, because SQLite can wait for other processes only at the start. */
  override async beginTransaction(): Promise<void> {
    unlessFull(() => this.#database.exec('begin immediate'));
  }

  /** Rolls back only an open transaction, because Kysely also calls this after a failed commit. */
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
    // Wait for the last flush. Ignore its failure here, because the writes that wait for it report it.
    await Promise.allSettled([this.#latestFlush]);
    await this.#disk.close();
    await super.destroy();
  }
}

/** Throws `StoreUnavailable` if the disk is full. SQLite then undoes the write and its whole transaction. */
function unlessFull<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isDiskFull(error) ? new StoreUnavailable('undone', error) : error;
  }
}

/**
 * Rethrows the error of a failed flush. A full disk becomes `StoreUnavailable` with an unknown outcome, because the
 * commit may not be on disk.
 */
function maybeKept(error: unknown): never {
  throw isDiskFull(error) ? new StoreUnavailable('unknown', error) : error;
}
