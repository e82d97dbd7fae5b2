import { createColumns } from 'base/database/columns';
import { afterOwnMs } from 'base/database/leases';
import { Secret } from 'base/encryption/secret';
import { nextLook } from 'base/schedule/cron';
import type { Selectable } from 'kysely';
import {
  type Automation,
  automationSchema,
  type Definition,
} from '../../automations/automation.ts';
import type { LeasedAutomation } from '../../automations/port.ts';
import { owners } from '../encrypted-columns.ts';
import type { Db } from '../schema.ts';
import type { AutomationsTable } from '../schema-automations.ts';

/** An automation to create, which is on. */
export type NewAutomation = Omit<
  Automation,
  'pause' | 'failedStarts' | 'changedAt' | 'changedBy' | 'revision'
>;

const columns = createColumns(automationSchema, owners);

export const readAutomation = (row: Selectable<AutomationsTable>): Automation => columns.read(row);

export const writeAutomation = (changes: Partial<Automation>, id: string) =>
  columns.write(changes, id);

/** Returns the columns by which triggers find an automation. */
export const triggerColumns = ({ trigger }: Definition) => ({
  trigger_kind: trigger.kind,
  trigger_key: trigger.kind === 'reaction' ? trigger.emoji : null,
});

/** Returns the columns of the next due time. */
export function nextColumns(db: Db, nextAt: number | null) {
  const lookAt = nextLook(nextAt, Date.now());
  return { next_at: nextAt, due_at: lookAt === null ? null : afterOwnMs(db, lookAt) };
}

export const secretColumn = (id: string, secret: string) => new Secret('secret', id, secret);

/** Runs work in a transaction: in the open one, if `db` is a transaction. */
export const within = <Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : db.transaction().execute(work);

export const readLeasedAutomation = (row: Selectable<AutomationsTable>): LeasedAutomation => ({
  ...readAutomation(row),
  version: row.version,
  failures: row.failures,
});
