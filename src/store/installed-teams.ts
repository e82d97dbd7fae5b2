import { nowMs } from 'base/database/clock';
import type { Db } from './schema.ts';
import { isWorkspaceId } from './workspace-id.ts';

/**
 * Stores which workspaces of an organization have the app. See
 * docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md.
 */
export function createTeams(db: Db) {
  const active = () => db.selectFrom('installations').select('id').where('is_active', '=', 1);
  return {
    /**
     * Deactivates workspaces without an OAuth installation, because the app has no token for them.
     * @returns the number of workspaces that still have the app
     */
    async begin(): Promise<number> {
      await db
        .updateTable('workspaces')
        .set({ is_active: 0 })
        .where((row) =>
          row.or([
            row('installation_id', 'is', null),
            // Also deactivate workspaces of an organization whose token was in the configuration.
            row('installation_id', 'not in', active()),
          ]),
        )
        .execute();
      const { count } = await db
        .selectFrom('workspaces')
        .select(db.fn.countAll<number | string>().as('count'))
        .where('is_active', '=', 1)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** Returns the IDs of the organizations that have the app. */
    async organizations(): Promise<string[]> {
      const rows = await active().where('id', 'like', 'E%').execute();
      return rows.map(({ id }) => id);
    },

    /**
     * Adds workspaces that an organization gives to the app. A workspace with a separate installation keeps that
     * installation.
     * @returns the IDs of the new workspaces
     */
    async giveTeams(teamIds: readonly string[], id: string): Promise<string[]> {
      const given: string[] = [];
      for (const teamId of teamIds.filter(isWorkspaceId))
        if (await addWorkspace(db, teamId, id, 'if without')) given.push(teamId);
      return given;
    },

    /**
     * Removes workspaces that an organization takes from the app.
     * @returns the IDs of the workspaces that had the app
     */
    async takeTeams(teamIds: readonly string[], id: string): Promise<string[]> {
      if (teamIds.length === 0) return [];
      const taken = await db
        .updateTable('workspaces')
        .set({ is_active: 0, installation_id: null, removed_at: nowMs(db) })
        .where('installation_id', '=', id)
        .where('team_id', 'in', teamIds)
        .returning('team_id')
        .execute();
      return taken.map((each) => each.team_id);
    },

    /** Returns the IDs of all workspaces that have the app. */
    async servedTeams(): Promise<string[]> {
      const all = db.selectFrom('workspaces').select('team_id').where('is_active', '=', 1);
      return (await all.orderBy('team_id').execute()).map((each) => each.team_id);
    },

    /** Returns true if an organization gives this workspace to the app. */
    isTeamOf: async (teamId: string, id: string): Promise<boolean> =>
      (await teamsIn(db, id).where('team_id', '=', teamId).executeTakeFirst()) !== undefined,

    /** Returns the workspaces of an organization that have the app. */
    async teamsOf(id: string): Promise<string[]> {
      const rows = await teamsIn(db, id).execute();
      return rows.map((each) => each.team_id);
    },

    /** Returns any workspace of an organization, for calls that concern the whole organization. */
    async oneOf(id: string): Promise<string | undefined> {
      return (await teamsIn(db, id).executeTakeFirst())?.team_id;
    },

    /** Returns the workspace of an organization that had a run in this channel. */
    async teamOfChannel(channelId: string, id: string): Promise<string | undefined> {
      const row = await teamsIn(db, id)
        .innerJoin('conversations', 'conversations.team_id', 'workspaces.team_id')
        .where('conversations.id', '=', channelId)
        .executeTakeFirst();
      return row?.team_id;
    },
  };
}

const teamsIn = (db: Db, id: string) =>
  db
    .selectFrom('workspaces')
    .select('workspaces.team_id')
    .where('installation_id', '=', id)
    .where('is_active', '=', 1)
    .orderBy('workspaces.team_id');

/**
 * Adds a workspace, or updates its installation.
 * @returns true if anything changed
 */
export async function addWorkspace(
  db: Db,
  teamId: string,
  installationId: string,
  when: 'if without' | 'always',
): Promise<boolean> {
  if (!isWorkspaceId(teamId)) throw new Error(`${teamId} isn't the id of a workspace`);
  const columns = { installation_id: installationId, is_active: 1, removed_at: null };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('workspaces')
    .values({ team_id: teamId, ...columns })
    .onConflict((conflict) => {
      const update = conflict.column('team_id').doUpdateSet(columns);
      if (when === 'always') return update;
      return update.where((row) =>
        row.or([
          row('workspaces.is_active', '=', 0),
          row('workspaces.installation_id', 'is', null),
        ]),
      );
    })
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
