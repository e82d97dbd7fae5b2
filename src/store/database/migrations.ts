import type { Migration } from 'kysely';
import * as initial from '../migrations/001-initial.ts';

/** Applied in the order of their names. */
export const migrations: Record<string, Migration> = {
  '001-initial': initial,
};
