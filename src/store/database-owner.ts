import { ExplainedError } from 'base/explained-error';
import { type RawBuilder, sql } from 'kysely';
import { addWorkspace } from './installed-teams.ts';
import type { DatabaseSchema, Db } from './schema.ts';
import { isWorkspaceId } from './workspace-id.ts';

type TeamTable = {
  [Table in keyof DatabaseSchema]: 'team_id' extends keyof DatabaseSchema[Table] ? Table : never;
}[keyof DatabaseSchema];

/**
 * Returns a condition for rows that belong to a workspace of this database. It protects statements that don't name a
 * workspace. Before the first start, all rows match. The subquery looks up one workspace per row, because databases
 * would otherwise read whole workspaces.
 */
export const isOwned = (table: TeamTable): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.team_id`)} is null
    or exists (select 1 from workspaces w where w.team_id = ${sql.ref(`${table}.team_id`)})
    or not exists (select 1 from workspaces))`;

/**
 * Returns the same condition as `isOwned`, but without workspaces that removed the app. Use it for work that calls
 * Slack.
 */
export const hasActiveInstallation = (table: TeamTable): RawBuilder<boolean> =>
  sql<boolean>`(${isOwned(table)} and not exists (select 1 from workspaces w
    where w.team_id = ${sql.ref(`${table}.team_id`)} and w.is_active = 0))`;

/** Makes sure that a database belongs to one workspace or organization, unless the app is installed by OAuth. */
export function createDatabaseOwner(db: Db) {
  return {
    /** Returns true if the workspace has the app. */
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
     * Claims the database for the only workspace of a bot token.
     * @throws ExplainedError if the database belongs to another workspace
     */
    async claim(teamId: string): Promise<void> {
      if (!isWorkspaceId(teamId))
        throw new ExplainedError('Slack names no workspace for SLACK_BOT_TOKEN.');
      await removeOrganizations(db);
      await sql`insert into workspaces (team_id, is_active)
        select cast(${teamId} as text), 1 where not exists (select 1 from workspaces)
        on conflict (team_id) do nothing`.execute(db);
      const other = await db
        .selectFrom('workspaces')
        .select(['team_id', 'installation_id'])
        .where('team_id', '!=', teamId)
        .orderBy('team_id')
        .executeTakeFirst();
      if (other) throw belongsTo(ownerOf(other), `of ${teamId}`);
      // Clear an earlier installation, because the workspace now uses the bot token in the configuration.
      const only = { is_active: 1, installation_id: null, removed_at: null };
      await db.updateTable('workspaces').set(only).where('team_id', '=', teamId).execute();
    },

    /**
     * Claims the database for the workspaces that an organization gives to the app.
     * @throws ExplainedError if the database belongs to another workspace
     */
    async claimForOrganization(
      { id, name }: { id: string; name: string },
      teamIds: readonly string[],
    ): Promise<void> {
      await removeOrganizations(db);
      const active = await db
        .selectFrom('workspaces')
        .select(['team_id', 'installation_id'])
        .where('is_active', '=', 1)
        .orderBy('team_id')
        .execute();
      const other = active.find(
        (each) => each.installation_id !== id && !teamIds.includes(each.team_id),
      );
      if (other)
        throw belongsTo(
          ownerOf(other),
          `of the organization ${name} (${id}), which hasn't given the app that workspace`,
        );
      for (const teamId of teamIds) await addWorkspace(db, teamId, id, 'always');
    },
  };
}

/** Removes organizations that an earlier version stored as workspaces. */
async function removeOrganizations(db: Db): Promise<void> {
  await db.deleteFrom('workspaces').where('team_id', 'not like', 'T%').execute();
}

type Owned = { team_id: string; installation_id: string | null };

function ownerOf({ team_id: teamId, installation_id: id }: Owned): string {
  return id?.startsWith('E') ? `organization ${id}` : `workspace ${teamId}`;
}

const belongsTo = (owner: string, token: string) =>
  new ExplainedError(
    `The database belongs to the Slack ${owner}, but SLACK_BOT_TOKEN is ${token}. Use the token of the ${owner}, or another DATA_DIR or DATABASE_URL.`,
  );
