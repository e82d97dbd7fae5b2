import type { Tables } from 'base/database/tables';
import { encryptedColumns } from './encrypted-columns.ts';
import * as initial from './migrations/001-initial.ts';

/** The tables of the bot. */
export const botTables: Tables = {
  history: 'bot_migrations',
  migrations: { '001-initial': initial },
  encryptedColumns,
  rekeyedTables: ['requests'],
};
