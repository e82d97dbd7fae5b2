import { isPostgres } from 'base/database/clock';
import { claimOneByOne, createLeases } from 'base/database/leases';
import type { Finished, Lease } from 'base/leased-work';
import { type SqlBool, sql } from 'kysely';
import { requestSteps } from '../../requests/steps.ts';
import { isOwned } from '../database-owner.ts';
import type { Db } from '../schema.ts';
import {
  type Clicked,
  changedColumns,
  clickedColumns,
  type RequestChanges,
  readClicked,
  readFollowed,
} from './request-row.ts';

export type RequestLeases = ReturnType<typeof createRequestLeases>;

/** Thrown when another request already has this run, because two identical requests found it at the same time. */
export class RunAlreadyLinkedError extends Error {
  override name = 'RunTaken';
}

/** Creates the leases of requests. A request in a step that only a newer version knows is left to that version. */
export function createRequestLeases(db: Db) {
  // SQL for the step column. Keeps SQLite from using the step's index, which would read every followed request.
  const step = isPostgres(db) ? sql`step` : sql`step || ''`;
  const leases = createLeases(db, 'requests', {
    which: sql<SqlBool>`${step} in (${sql.join(requestSteps)}) and ${isOwned('requests')}`,
    // Lease ended requests first, because people wait for the end.
    order: (now) => [
      sql<SqlBool>`ended_at is not null and due_at <= ${now}`,
      sql<SqlBool>`ended_at is null and due_at <= ${now}`,
    ],
  });

  return {
    ...leases,

    claim: claimOneByOne(leases, readFollowed),

    /**
     * Writes all changes, or none if it throws.
     * @returns the clicks that people made meanwhile
     * @throws LeaseLost if another replica has the lease
     * @throws RunAlreadyLinkedError if another request has the run
     */
    async record(lease: Lease, changes: RequestChanges): Promise<Clicked> {
      try {
        return readClicked(
          await leases.write(lease, changedColumns(lease.id, changes), clickedColumns),
        );
      } catch (error) {
        if (!isTakenRun(error)) throw error;
        throw new RunAlreadyLinkedError(`another request has the run of request ${lease.id}`, {
          cause: error,
        });
      }
    },

    release: (finished: readonly Finished<RequestChanges>[]): Promise<string[]> =>
      leases.release(finished, ({ lease, changes }) => changedColumns(lease.id, changes)),
  };
}

/**
 * Returns true for a unique constraint error. It means that another request has the run, because only the run ID is
 * unique.
 */
const isTakenRun = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');
