import { nowMs } from 'base/database/clock';
import type { Db } from './schema.ts';
import { isWorkspaceId } from './workspace-id.ts';

/** The workspaces of an organization that the app is installed in. See docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md. */
export function createTeams(db: Db) {
  const active = () => db.selectFrom('installations').select('id').where('is_active', '=', 1);
  return {
    /** Workspaces without an installation have no token anymore. @returns the number of workspaces */
    async begin(): Promise<number> {
      await db
        .updateTable('workspaces')
        .set({ is_active: 0 })
        .where((row) =>
          row.or([
            row('installation_id', 'is', null),
            // An organization whose token was in the configuration.
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

    /** Ids of the whole organizations that the app is installed in. */
    async organizations(): Promise<string[]> {
      const rows = await active().where('id', 'like', 'E%').execute();
      return rows.map(({ id }) => id);
    },

    /**
     * The organization gives the app these workspaces. One with its own installation keeps that.
     * @returns those that it didn't have
     */
    async giveTeams(teamIds: readonly string[], id: string): Promise<string[]> {
      const given: string[] = [];
      for (const teamId of teamIds.filter(isWorkspaceId))
        if (await addWorkspace(db, teamId, id, 'if without')) given.push(teamId);
      return given;
    },

    /** The organization takes these workspaces from the app. @returns those that it had */
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

    /** All workspaces that have the app. */
    async servedTeams(): Promise<string[]> {
      const all = db.selectFrom('workspaces').select('team_id').where('is_active', '=', 1);
      return (await all.orderBy('team_id').execute()).map((each) => each.team_id);
    },

    /** Returns true if the organization gives the app this workspace. */
    isTeamOf: async (teamId: string, id: string): Promise<boolean> =>
      (await teamsIn(db, id).where('team_id', '=', teamId).executeTakeFirst()) !== undefined,

    /** All workspaces of an organization. */
    async teamsOf(id: string): Promise<string[]> {
      const rows = await teamsIn(db, id).execute();
      return rows.map((each) => each.team_id);
    },

    /** A workspace of an organization, for what concerns all of them. */
    async oneOf(id: string): Promise<string | undefined> {
      return (await teamsIn(db, id).executeTakeFirst())?.team_id;
    },

    /** The workspace of an organization that had a run in this channel. */
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

/** @returns whether it was changed */
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
