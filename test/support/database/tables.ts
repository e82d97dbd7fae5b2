import type { Db } from '../../../src/store/schema.ts';

/** The tables that have this column. */
export async function tablesWith(db: Db, column: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === column))
    .map(({ name }) => name)
    .toSorted();
}
