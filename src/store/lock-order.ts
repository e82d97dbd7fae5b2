import type { SelectQueryBuilder } from 'kysely';
import { isPostgres } from './clock.ts';
import type { DatabaseSchema, Db } from './schema.ts';

export type Requests = SelectQueryBuilder<DatabaseSchema, 'requests', object>;

/**
 * Writes all requests of which `which` is true, in one statement. On PostgreSQL they are locked first, in the order of
 * their ids: two statements that meet the same rows in different orders would wait for each other until one is ended.
 */
export function updateMany(db: Db, which: (requests: Requests) => Requests) {
  const ids = which(db.selectFrom('requests')).select('id');
  const locked = isPostgres(db) ? ids.orderBy('id').forUpdate() : ids;
  return db.updateTable('requests').where('id', 'in', locked);
}
