import { isPostgres } from 'base/database/clock';
import type { SelectQueryBuilder } from 'kysely';
import type { DatabaseSchema, Db } from '../schema.ts';

export type Requests = SelectQueryBuilder<DatabaseSchema, 'requests', object>;

/**
 * Updates all requests that `which` selects, in one statement. On PostgreSQL, the rows are first locked in the order of
 * their IDs. Otherwise, two statements that lock them in different orders could deadlock.
 */
export function updateMany(db: Db, which: (requests: Requests) => Requests) {
  const ids = which(db.selectFrom('requests')).select('id');
  const locked = isPostgres(db) ? ids.orderBy('id').forUpdate() : ids;
  return db.updateTable('requests').where('id', 'in', locked);
}
