import { type RawBuilder, sql } from 'kysely';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { DatabaseSchema, Db } from '../schema.ts';

type TeamTable = {
  [Table in keyof DatabaseSchema]: 'team_id' extends keyof DatabaseSchema[Table] ? Table : never;
}[keyof DatabaseSchema];

/**
 * Whether a row belongs to a workspace of this database, for statements that get no workspace: whatever is in the tables,
 * rows of others are never claimed, found or changed. Before the first start there are none. The workspace is looked up for
 * each row, because databases would otherwise read whole workspaces by an index that starts with them.
 */
export const isOwned = (table: TeamTable): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.team_id`)} is null
    or exists (select 1 from workspaces w where w.team_id = ${sql.ref(`${table}.team_id`)})
    or not exists (select 1 from workspaces))`;

/** The same for work that calls Slack. It waits while the app isn't installed in the workspace. */
export const isServed = (table: TeamTable): RawBuilder<boolean> =>
  sql<boolean>`(${isOwned(table)} and not exists (select 1 from workspaces w
    where w.team_id = ${sql.ref(`${table}.team_id`)} and w.is_active = 0))`;

/** A database has the data of one workspace, unless the app is installed by OAuth. */
export function createDatabaseOwner(db: Db) {
  return {
    /** Whether the app is installed there. */
    async has(teamId: string): Promise<boolean> {
      const row = await db
        .selectFrom('workspaces')
        .select('team_id')
        .where('team_id', '=', teamId)
        .where('is_active', '=', 1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * For a bot token: the only workspace.
     * @throws ExplainedError if the database belongs to another workspace
     */
    async claim(teamId: string): Promise<void> {
      await sql`insert into workspaces (team_id, is_active)
        select cast(${teamId} as text), 1 where not exists (select 1 from workspaces)
        on conflict (team_id) do nothing`.execute(db);
      const owners = await db
        .selectFrom('workspaces')
        .select(['team_id', 'is_active'])
        .orderBy('team_id')
        .execute();
      const other = owners.find(({ team_id: id }) => id !== teamId)?.team_id;
      if (other !== undefined)
        throw new ExplainedError(
          `The database belongs to the Slack workspace ${other}, but SLACK_BOT_TOKEN is of ${teamId}. Use the token of ${other}, or another DATA_DIR or DATABASE_URL.`,
        );
      // It was installed by OAuth before.
      const only = { is_active: 1, installation_id: null, removed_at: null };
      await db.updateTable('workspaces').set(only).where('team_id', '=', teamId).execute();
    },
  };
}
