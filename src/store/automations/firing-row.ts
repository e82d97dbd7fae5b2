import { nowMs } from 'base/database/clock';
import { createColumns } from 'base/database/columns';
import { Secret } from 'base/encryption/secret';
import type { Insertable, Selectable } from 'kysely';
import {
  type Firing,
  type FiringContent,
  firingSchema,
  requestIdOfFiring,
} from '../../automations/firing.ts';
import type { LeasedFiring } from '../../automations/port.ts';
import { owners } from '../encrypted-columns.ts';
import type { Db } from '../schema.ts';
import type { AutomationFiringsTable } from '../schema-automations.ts';

/**
 * Something that fired an automation. The same `key` again is the same firing. Firings with the same `startKey` start
 * one run; by default it's the key.
 */
export type NewFiring = Pick<Firing, 'automationId' | 'teamId' | 'happenedAt'> & {
  key: string;
  startKey?: string;
  fired: FiringContent;
};

const columns = createColumns(firingSchema, owners);

export const readFiring = (row: Selectable<AutomationFiringsTable>): Firing => columns.read(row);

export const readLeasedFiring = (row: Selectable<AutomationFiringsTable>): LeasedFiring => ({
  ...readFiring(row),
  version: row.version,
  failures: row.failures,
});

/** End of a firing that's decided when it's stored. */
export type FiringEnd = Pick<Firing, 'reason'> & { state: 'missed' | 'skipped' };

/**
 * Returns the row of a firing, which is due now unless it's decided.
 * @param body body of a webhook's delivery
 */
export function firingRow(
  db: Db,
  { key, startKey = key, fired, ...firing }: NewFiring,
  { body, end }: { body?: string | undefined; end?: FiringEnd | undefined } = {},
) {
  const id = `${firing.automationId} ${key}`;
  const requestId = end ? null : requestIdOfFiring({ ...firing, startKey });
  const { state, reason } = end ?? ({ state: 'waiting', reason: null } as const);
  const content = { fired };
  const more = { id, startKey, state, reason, requestId, content, countedAt: null } as const;
  return {
    ...columns.write({ ...firing, ...more }, id),
    body: body === undefined ? null : new Secret('body', id, body),
    due_at: end ? null : nowMs(db),
  } as Insertable<AutomationFiringsTable>;
}
