import type { Db } from './schema.ts';

/**
 * Creates functions that find and delete a person's data by their Slack user ID. They don't include the person's runs,
 * because the bot's requests own those.
 */
export function createPersonData(db: Db) {
  return {
    /** Lists the browsers in which they're signed in to session pages. */
    signIns: (userId: string) =>
      db
        .selectFrom('service_passes')
        .select(['slack_team_id as team_id', 'expires_at'])
        .where('slack_user_id', '=', userId)
        .execute(),

    async remove(userId: string): Promise<void> {
      await db.deleteFrom('service_passes').where('slack_user_id', '=', userId).execute();
    },
  };
}
