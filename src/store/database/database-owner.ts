import { ExplainedError } from '../../lib/explained-error.ts';
import type { Db } from '../schema.ts';

/** A database has the data of one workspace: with another one's, people would see each other's runs and settings. */
export function createDatabaseOwner(db: Db) {
  return {
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
