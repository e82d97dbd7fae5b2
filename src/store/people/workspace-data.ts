import { sql } from 'kysely';
import { removeRequests } from '../requests/request-removal.ts';
import type { Db } from '../schema.ts';

/** Tables with a `team_id`, except requests, the audit log and the workspaces. */
const tablesOfWorkspaces = [
  ...(['settings', 'drafts', 'inbox', 'outbox', 'slack_writes', 'home_views'] as const),
  ...(['conversations', 'conversation_members', 'digests', 'request_watchers'] as const),
  ...(['run_feedback', 'answers', 'connections', 'automations', 'automation_firings'] as const),
] as const;

export type WorkspaceRemoval = ReturnType<typeof createWorkspaceRemoval>;

/** Deletes the data of workspaces that removed the app. Run durations stay, because they identify no one. */
export function createWorkspaceRemoval(db: Db) {
  /**
   * Returns a condition that is true only while a workspace doesn't have the app. Every statement uses it, in case the
   * app is installed again.
   */
  const isGone = (teamId: string, time: number) =>
    sql<boolean>`exists (select 1 from workspaces w
      where w.team_id = ${teamId} and w.is_active = 0 and w.removed_at < ${time})`;

  return {
    /** Returns workspaces that removed the app before this time. */
    async removedBefore(time: number): Promise<string[]> {
      const rows = await db
        .selectFrom('workspaces')
        .select('team_id')
        .where('is_active', '=', 0)
        .where('removed_at', '<', time)
        .execute();
      return rows.map((row) => row.team_id);
    },

    /** Returns at most `limit` requests of a workspace, in any state, with their run IDs. */
    requests: (teamId: string, limit: number) =>
      db
        .selectFrom('requests')
        .select(['id', 'run_id as runId'])
        .where('team_id', '=', teamId)
        .limit(limit)
        .execute(),

    /**
     * Deletes requests.
     * @returns the number of deleted requests
     */
    removeRequests: (teamId: string, time: number, ids: readonly string[]): Promise<number> =>
      db.transaction().execute((trx) => removeRequests(trx, ids, isGone(teamId, time))),

    /** Deletes all other data of a workspace. Call it once no request is left. */
    removeRest: (teamId: string, time: number): Promise<void> =>
      db.transaction().execute(async (trx) => {
        for (const table of tablesOfWorkspaces)
          await trx
            .deleteFrom(table)
            .where('team_id', '=', teamId)
            .where(isGone(teamId, time))
            .execute();
        await trx
          .deleteFrom('installations')
          .where('id', '=', teamId)
          .where('is_active', '=', 0)
          .where(isGone(teamId, time))
          .execute();
        await trx
          .deleteFrom('workspaces')
          .where('team_id', '=', teamId)
          .where('is_active', '=', 0)
          .where('removed_at', '<', time)
          .execute();
      }),
  };
}
