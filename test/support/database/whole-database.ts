import { serviceTables } from 'runs-service/store/tables';
import { createTestDatabases } from '../../../packages/base/test/support/databases.ts';
import { botTables } from '../../../src/store/tables.ts';

/** Tables of the bot and of the runs service, which share a database when the service is embedded. */
export const allTables = [botTables, serviceTables];

// biome-ignore lint/suspicious/noExplicitAny: Kysely has no other type for unknown tables.
export type AnySchema = any;

export const {
  openTestDatabase: openWholeDatabase,
  createDatabase: createWholeDatabase,
  useDatabase: useWholeDatabase,
  describeOnDatabase: describeOnWholeDatabase,
} = createTestDatabases<AnySchema>(allTables);
