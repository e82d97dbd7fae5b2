import { createTestDatabases } from '../../../packages/base/test/support/databases.ts';
import type { DatabaseSchema } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';

export const {
  openTestDatabase,
  createDatabase,
  createPostgresDatabase,
  createSqliteDatabase,
  useDatabase,
  describeOnDatabase,
} = createTestDatabases<DatabaseSchema>([botTables]);
