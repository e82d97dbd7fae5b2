import type { Db } from './schema.ts';

/** Data of one person at the service, found by their Slack user ID. Their runs belong to the bot's requests. */
export function createPersonData(db: Db) {
  return {
    /** Browsers in which they signed in to session pages. */
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
