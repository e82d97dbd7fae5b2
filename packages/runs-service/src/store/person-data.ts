import type { Db } from './schema.ts';
import { forgetSpender } from './spend-removal.ts';

/**
 * Creates functions that find and delete a person's data by their Slack user ID. The functions leave out the person's
 * runs, because runs belong to requests, which the bot stores.
 */
export function createPersonData(db: Db) {
  return {
    /** Lists the browsers in which the person is signed in to session pages. */
    signIns: (userId: string) =>
      db
        .selectFrom('service_passes')
        .select(['slack_team_id as team_id', 'expires_at'])
        .where('slack_user_id', '=', userId)
        .execute(),

    /** Lists the model calls that count for the person. */
    modelCalls: (userId: string) =>
      db
        .selectFrom('service_model_calls')
        .select(['workspace as team_id', 'environment_id', 'provider', 'model', 'started_at'])
        .select('price_micros')
        .where('person', '=', userId)
        .orderBy('started_at')
        .execute(),

    async remove(userId: string): Promise<void> {
      await forgetSpender(db, userId);
      await db.deleteFrom('service_passes').where('slack_user_id', '=', userId).execute();
    },
  };
}
