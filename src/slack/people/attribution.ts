import type { ReadIdentity } from '../../following/attribute-run.ts';
import type { People } from './people.ts';

/** The email address of the person who starts a run; undefined if Slack doesn't say it. */
export const createIdentityReader =
  ({ look }: Pick<People, 'look'>): ReadIdentity =>
  async (userId) =>
    (await look([userId])).get(userId)?.email;
