import type { AnyDb } from '../../src/database/tables.ts';

/** Returns the tables that have this column. */
export async function tablesWith(db: AnyDb, column: string): Promise<string[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ columns }) => columns.some(({ name }) => name === column))
    .map(({ name }) => name)
    .toSorted();
}
