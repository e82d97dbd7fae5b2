import { createTestDatabases } from '../../../base/test/support/databases.ts';
import type { DatabaseSchema } from '../../src/store/schema.ts';
import { serviceTables } from '../../src/store/tables.ts';

export const {
  openTestDatabase,
  createDatabase,
  createPostgresDatabase,
  createSqliteDatabase,
  useDatabase,
  describeOnDatabase,
} = createTestDatabases<DatabaseSchema>([serviceTables]);
