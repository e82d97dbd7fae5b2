import type { Tables } from 'base/database/tables';
import { encryptedColumns } from './encrypted-columns.ts';
import * as initial from './migrations/001-initial.ts';

/** Tables of the bot, with their migrations and encrypted columns. */
export const botTables: Tables = {
  history: 'bot_migrations',
  migrations: { '001-initial': initial },
  encryptedColumns,
  rekeyedTables: ['requests'],
};
