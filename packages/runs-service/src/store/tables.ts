import type { Tables } from 'base/database/tables';
import { encryptedColumns } from './encrypted-columns.ts';
import * as initial from './migrations/001-initial.ts';

/** Tables of the runs service, for opening a database. */
export const serviceTables: Tables = {
  history: 'service_migrations',
  migrations: { '001-initial': initial },
  encryptedColumns,
  rekeyedTables: [],
};
