import type { Kysely, Transaction } from 'kysely';

/** Runs work in a transaction. Within another transaction, it becomes a part of that one. */
export const inTransaction = <Schema, T>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> =>
  db.isTransaction ? work(db as Transaction<Schema>) : db.transaction().execute(work);
