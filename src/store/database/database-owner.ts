import { type RawBuilder, sql } from 'kysely';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { DatabaseSchema, Db } from '../schema.ts';

type TeamTable = {
  [Table in keyof DatabaseSchema]: 'team_id' extends keyof DatabaseSchema[Table] ? Table : never;
}[keyof DatabaseSchema];

/** The workspace of this database, for new rows. Null before the first start. */
export const ownTeam: RawBuilder<string | null> = sql`(select o.team_id from database_owner o)`;

/**
 * Whether a row belongs to the workspace of this database, for statements that get no workspace: whatever is in the tables,
 * rows of another one are never claimed, found or changed. Before the first start there are none. It's a negation, because
 * databases would read the whole workspace by an index that starts with it.
 */
export const isOwned = (table: TeamTable): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.team_id`)} <> ${ownTeam}) is not true`;

/** A database has the data of one workspace: with another one's, people would see each other's runs and settings. */
export function createDatabaseOwner(db: Db) {
  return {
    async has(teamId: string): Promise<boolean> {
      const row = await db.selectFrom('database_owner').select('team_id').executeTakeFirst();
      return row?.team_id === teamId;
    },

    /** @throws ExplainedError if the database belongs to another workspace */
    async claim(teamId: string): Promise<void> {
      await db
        .insertInto('database_owner')
        .values({ id: 1, team_id: teamId })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      const { team_id: ownerId } = await db
        .selectFrom('database_owner')
        .select('team_id')
        .executeTakeFirstOrThrow();
      if (ownerId === teamId) return;
      throw new ExplainedError(
        `The database belongs to the Slack workspace ${ownerId}, but SLACK_BOT_TOKEN is of ${teamId}. Use the token of ${ownerId}, or another DATA_DIR or DATABASE_URL.`,
      );
    },
  };
}
