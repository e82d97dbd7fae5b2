import type { Tables } from 'base/database/tables';
import { encryptedColumns } from './encrypted-columns.ts';
import * as initial from './migrations/001-initial.ts';

/** The tables of the runs service. */
export const serviceTables: Tables = {
  history: 'service_migrations',
  migrations: { '001-initial': initial },
  encryptedColumns,
  rekeyedTables: [],
};
