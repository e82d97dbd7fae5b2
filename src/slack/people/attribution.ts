import type { People } from './people.ts';

/** Who a person is for the runs service; undefined if that isn't known. */
export type ReadIdentity = (userId: string) => Promise<string | undefined>;

/** The email address of the person who starts a run; undefined if Slack doesn't say it. */
export const createIdentityReader =
  ({ look }: Pick<People, 'look'>): ReadIdentity =>
  async (userId) =>
    (await look([userId])).get(userId)?.email;
