import { nowMs } from 'base/database/clock';
import type { Expression, ExpressionBuilder, SqlBool, UpdateObject } from 'kysely';
import type { Run } from 'runs-client/contract';
import type { RunLimits } from 'runs-client/run-limits';
import { nothingToPublish, type PublishWanted } from '../../requests/publish.ts';
import { liveSteps } from '../../requests/steps.ts';
import { isOwned } from '../database-owner.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { changedColumns, type RequestChanges } from './request-row.ts';

/** Time after an accepted cancel until a run that hasn't ended can be canceled again, in ms. */
const acceptedForMs = 60_000;

/**
 * Writes people's clicks on a request. A click only stores the intent and makes the request due. The follower, which
 * may be working on it, acts later. Each function returns true if the click changed anything.
 */
export function createRequestMarks(db: Db) {
  /** Marks a request and makes it due. Uses one statement, so that a crash can't separate the two. */
  async function mark(id: string, columns: Columns, isOpen: Condition): Promise<boolean> {
    const updated = await db
      .updateTable('requests')
      .set({ ...columns, due_at: nowMs(db) })
      .where('id', '=', id)
      .where(isOwned('requests'))
      .where(isOpen)
      .executeTakeFirst();
    return updated.numUpdatedRows === 1n;
  }

  return {
    /** Requests a cancel, even if the service rejected an earlier one. */
    askCancel: (id: string, userId: string, now: number) =>
      mark(
        id,
        {
          cancel_asked_at: now,
          cancel_asked_by: userId,
          cancel_outcome: null,
          cancel_retry_at: null,
        },
        (row) => row.and([row('step', 'in', liveSteps), isCancelOpen(row, now)]),
      ),

    /** Requests a publication. Only the first click applies until its result is known. */
    askPublish: (id: string, userId: string, wanted: PublishWanted, now: number) =>
      mark(
        id,
        {
          ...changedColumns(id, {
            ...nothingToPublish,
            publishRetryAt: null,
            publishAskedAt: now,
            publishAskedBy: userId,
            publishWanted: wanted,
          }),
          publish_action: wanted.action,
        },
        (row) =>
          row.and([
            row('step', '=', 'ended'),
            row('run_id', 'is not', null),
            row.or([
              row('publish_asked_at', 'is', null),
              row.and([
                row('publish_outcome', 'is not', null),
                row('publish_outcome', '<>', 'accepted'),
              ]),
            ]),
          ]),
      ),

    unfollow: (id: string, now: number) =>
      mark(id, { unfollowed_at: now }, (row) =>
        row.and([row('step', '=', 'following'), row('unfollowed_at', 'is', null)]),
      ),

    followAgain: (id: string, now: number) =>
      mark(
        id,
        { unfollowed_at: null, next_poll_at: null, followed_since: now, problem_json: null },
        (row) => row('unfollowed_at', 'is not', null),
      ),

    /** Makes the follower ask the service once more for an unknown run. */
    pollAgain: (id: string, now: number) =>
      mark(id, { next_poll_at: now, followed_since: now }, (row) =>
        row.and([
          row('step', '=', 'ended'),
          row('missing_since', 'is not', null),
          row('next_poll_at', 'is', null),
        ]),
      ),

    /**
     * Stores an ended run with its new session link, and makes its message show the link. The follower doesn't poll
     * ended runs for it.
     */
    replaceSessionLink: (id: string, run: Run) =>
      mark(id, changedColumns(id, { run }), (row) => row('step', '=', 'ended')),

    /** Retries a request that wasn't started, with the current limits of the rules. Only the first click applies. */
    tryAgain(id: string, limits: RunLimits | null): Promise<boolean> {
      const changes: RequestChanges = {
        step: 'posted',
        problem: null,
        failures: 0,
        cancelAskedAt: null,
        cancelAskedBy: null,
        cancelOutcome: null,
      };
      const columns = {
        ...changedColumns(id, changes),
        limits_json: limits && JSON.stringify(limits),
      };
      return mark(id, columns, (row) => row('step', '=', 'not_started'));
    },
  };
}

const isCancelOpen = (row: ExpressionBuilder<DatabaseSchema, 'requests'>, now: number) =>
  row.or([
    row('cancel_asked_at', 'is', null),
    row('cancel_outcome', '<>', 'accepted'),
    row.and([
      row('cancel_outcome', '=', 'accepted'),
      row('cancel_asked_at', '<', now - acceptedForMs),
    ]),
  ]);

type Columns = UpdateObject<DatabaseSchema, 'requests'>;
type Condition = (row: ExpressionBuilder<DatabaseSchema, 'requests'>) => Expression<SqlBool>;
