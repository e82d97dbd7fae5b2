/** SQLite for Kysely, with one commit for everything that is written in one turn of the event loop. */
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

/** What we use of the drivers for SQLite that have the interface of better-sqlite3. */
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

/**
 * A commit waits for the disk, and nothing else runs meanwhile: twenty people who write at the same moment must not
 * wait twenty times. No statement is answered before the commit that it belongs to, so what a caller was told is on
 * the disk. A statement that fails fails alone.
 */
export function groupCommitDialect(database: SyncDatabase): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new GroupCommitDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

const mostStatements = 500;
const longestRestMs = 50;
const grouped = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);

class GroupCommitDriver implements Driver {
  readonly #database: SyncDatabase;
  /** Prepared once: reading the text of a small statement takes longer than the statement. */
  readonly #statements = new Map<string, SyncStatement>();
  /** Statements whose commit comes at the end of this turn. */
  #group: Deferred | undefined;
  #size = 0;
  /** After a commit that many had waited for: until when the next one lets more come together. */
  #restUntil = 0;
  /** A transaction that somebody asked for has the database to itself. */
  #alone: { connection: DatabaseConnection; ended: Deferred } | undefined;

  constructor(database: SyncDatabase) {
    this.#database = database;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const execute = <R>(query: CompiledQuery) => this.#execute<R>(connection, query);
    const connection: DatabaseConnection = {
      executeQuery: execute,
      async *streamQuery<R>(query: CompiledQuery) {
        yield await execute<R>(query);
      },
    };
    return connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    while (this.#alone) await this.#alone.ended.promise;
    this.#commitGroup();
    this.#database.exec('begin immediate');
    this.#alone = { connection, ended: defer() };
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
    this.#endTransaction();
  }

  /** Also after a commit that failed. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.exec('rollback');
    this.#endTransaction();
  }

  async destroy(): Promise<void> {
    this.#commitGroup();
    this.#database.close();
  }

  async #execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#alone?.connection === connection) return this.#perform(query);
    while (this.#alone) await this.#alone.ended.promise;
    const { kind } = query.query;
    if (grouped.has(kind)) this.#openGroup();
    // Changes of tables and the like stand alone.
    else if (kind !== 'SelectQueryNode') this.#commitGroup();
    const group = this.#group;
    this.#size += 1;
    const result = this.#performIn<R>(group, query);
    // A reader, too, must not act on what is not on the disk yet.
    await group?.promise;
    return result;
  }

  #openGroup(): void {
    if (this.#group) return;
    this.#database.exec('begin immediate');
    const group = defer();
    this.#group = group;
    this.#size = 0;
    const commit = () => {
      if (this.#group === group) this.#commitGroup();
    };
    const restMs = this.#restUntil - performance.now();
    if (restMs >= 1) setTimeout(commit, restMs);
    else setImmediate(commit);
  }

  #commitGroup(): void {
    const group = this.#group;
    if (!group) return;
    this.#group = undefined;
    try {
      const begunAt = performance.now();
      this.#database.exec('commit');
      const now = performance.now();
      // On a slow disk, half of the time is left for everything else.
      this.#restUntil = this.#size > 1 ? now + Math.min(now - begunAt, longestRestMs) : 0;
      group.resolve();
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback');
      group.reject(error);
    }
  }

  #performIn<R>(group: Deferred | undefined, query: CompiledQuery): QueryResult<R> {
    try {
      return this.#perform(query);
    } catch (error) {
      // A full disk, for one, takes everything back that was not committed.
      if (group && !this.#database.inTransaction) {
        this.#group = undefined;
        group.reject(error);
      }
      throw error;
    }
  }

  #perform<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): SyncStatement {
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  #endTransaction(): void {
    const ended = this.#alone?.ended;
    this.#alone = undefined;
    ended?.resolve();
  }
}

type Deferred = { promise: Promise<void>; resolve(): void; reject(error: unknown): void };

function defer(): Deferred {
  let settle = { resolve: () => {}, reject: (_: unknown) => {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever has something in the group awaits it; a group whose statements have all failed has nobody.
  promise.catch(() => undefined);
  return { promise, ...settle };
}
