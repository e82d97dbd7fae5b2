/** SQLite for Kysely, with one commit for everything that is written at about the same time. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { SharedFlush } from './shared-flush.ts';

/** The part of better-sqlite3's interface that we use. */
export type SyncDatabase = {
  exec(sql: string): unknown;
  close(): unknown;
  readonly inTransaction: boolean;
  prepare(sql: string): SyncStatement;
};

type SyncStatement = {
  readonly reader: boolean;
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint };
};

/** A statement, whether it returns rows, and which table it writes. */
type Prepared = { statement: SyncStatement; isReader: boolean; writes: string };

/** A commit is on disk when a `flush()` that was called after it has resolved. */
export type Disk = { flush(): Promise<void>; close(): Promise<void> };

/**
 * Simultaneous writes share a commit and a flush. A write is answered when its commit is on disk. A failing statement
 * doesn't fail the others. See docs/decisions/010-sqlite-writes-are-few-and-share-a-flush.md.
 */
export function groupCommitDialect(database: SyncDatabase, disk: Disk): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new GroupCommitDriver(database, disk),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const mostStatements = 500;
const grouped = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);

class GroupCommitDriver implements Driver {
  readonly #database: SyncDatabase;
  /** Parsing a small statement takes longer than running it. */
  readonly #statements = new Map<string, Prepared>();
  readonly #disk: Disk;
  readonly #flush: SharedFlush;
  /** Kysely needs a connection per transaction; there is only one database. */
  readonly #idle: DatabaseConnection[] = [];
  /** Open statements: committed at the end of this turn, or after the flush that is running. */
  #group: Group | undefined;
  /** An explicit transaction, during which nothing else runs. */
  #alone: { connection: DatabaseConnection; ended: Deferred } | undefined;

  constructor(database: SyncDatabase, disk: Disk) {
    this.#database = database;
    this.#disk = disk;
    this.#flush = new SharedFlush(() => disk.flush());
  }

  async init(): Promise<void> {}

  /** Reused, because Kysely remembers every connection. */
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#idle.pop() ?? this.#connect();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#idle.push(connection);
  }

  #connect(): DatabaseConnection {
    const execute = <R>(query: CompiledQuery) => this.#execute<R>(connection, query);
    const connection: DatabaseConnection = {
      executeQuery: execute,
      async *streamQuery<R>(query: CompiledQuery) {
        yield await execute<R>(query);
      },
    };
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    while (this.#alone) await this.#alone.ended.promise;
    this.#commitGroup();
    this.#database.exec('begin immediate');
    this.#alone = { connection, ended: defer() };
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
    this.#endTransaction();
    await this.#flush.request();
  }

  /** Also called after a failed commit. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
    this.#endTransaction();
  }

  async destroy(): Promise<void> {
    this.#commitGroup();
    await this.#flush.running;
    await this.#disk.close();
    this.#database.close();
  }

  async #execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#alone?.connection === connection) return this.#perform(query);
    while (this.#alone) await this.#alone.ended.promise;
    const { kind } = query.query;
    if (grouped.has(kind)) this.#openGroup();
    else if (kind !== 'SelectQueryNode') return this.#performAlone(query);
    const group = this.#group;
    const result = this.#performIn<R>(group, query);
    if (!group) return result;
    if (kind !== 'SelectQueryNode') {
      group.written.add(this.#prepared(query.sql).writes);
      await group.stored.promise;
    } else if ([...group.written].some((table) => query.sql.includes(table))) {
      // A reader must not see what may be rolled back.
      await group.committed.promise;
    }
    return result;
  }

  /** For schema changes. */
  async #performAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#commitGroup();
    const result = this.#perform<R>(query);
    await this.#flush.request();
    return result;
  }

  #openGroup(): void {
    if (this.#group) return;
    this.#database.exec('begin immediate');
    const group = { written: new Set<string>(), committed: defer(), stored: defer() };
    this.#group = group;
    const commitSoon = () =>
      setImmediate(() => {
        if (this.#group === group) this.#commitGroup();
      });
    // During a flush more statements can join: they would have to wait for the disk anyway.
    const { running } = this.#flush;
    if (running) void running.then(commitSoon);
    else commitSoon();
  }

  #commitGroup(): void {
    const group = this.#group;
    if (!group) return;
    this.#group = undefined;
    try {
      this.#database.exec('commit');
      group.committed.resolve();
      this.#flush.request().then(group.stored.resolve, group.stored.reject);
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback');
      fail(group, error);
    }
  }

  #performIn<R>(group: Group | undefined, query: CompiledQuery): QueryResult<R> {
    try {
      return this.#perform(query);
    } catch (error) {
      // A full disk, for example, rolls back the whole group.
      if (group && !this.#database.inTransaction) {
        this.#group = undefined;
        fail(group, error);
      }
      throw error;
    }
  }

  #perform<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const { statement, isReader } = this.#prepared(sql);
    if (isReader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, isReader: statement.reader, writes: tableWrittenBy(sql) };
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #endTransaction(): void {
    const ended = this.#alone?.ended;
    this.#alone = undefined;
    ended?.resolve();
  }
}

/** Readers wait for `committed`, writers for `stored`. */
type Group = { written: Set<string>; committed: Deferred; stored: Deferred };

/** The only table that a statement writes: we have no triggers. Empty, which every text includes, if unknown. */
const tableWrittenBy = (sql: string): string =>
  /^(?:insert into|update|delete from) "([^"]+)"/.exec(sql)?.[1] ?? '';

function fail({ committed, stored }: Group, error: unknown): void {
  committed.reject(error);
  stored.reject(error);
}

type Deferred = { promise: Promise<void>; resolve(): void; reject(error: unknown): void };

function defer(): Deferred {
  let settle = { resolve: () => {}, reject: (_: unknown) => {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Nobody awaits a group whose statements all failed.
  promise.catch(() => undefined);
  return { promise, ...settle };
}
