import { nowMs } from '../database/clock.ts';
import type { Db } from '../schema.ts';
import { createAcceptance } from './accept-request.ts';
import { changedColumns, type RequestChanges, type RunRequest, readRow } from './request-row.ts';

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(db: Db) {
  return {
    ...createAcceptance(db),

    async find(id: string): Promise<RunRequest | undefined> {
      const row = await db
        .selectFrom('requests')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && readRow(row);
    },

    async findByRunIds(runIds: readonly string[]): Promise<RunRequest[]> {
      if (runIds.length === 0) return [];
      const rows = await db
        .selectFrom('requests')
        .selectAll()
        .where('run_id', 'in', runIds)
        .execute();
      return rows.map(readRow);
    },

    /** Tries to start a request again that wasn't started; once, however many people click. */
    async tryAgain(id: string): Promise<boolean> {
      const changes: RequestChanges = {
        ...{ step: 'posted', problem: null, failures: 0, endNotified: null },
        ...{ cancelAskedAt: null, cancelAskedBy: null, cancelOutcome: null },
      };
      const updated = await db
        .updateTable('requests')
        .set({ ...changedColumns(changes), due_at: nowMs(db) })
        .where('id', '=', id)
        .where('step', '=', 'not_started')
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },
  };
}
