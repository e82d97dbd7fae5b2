/** Who is in which user group, cached for a few minutes. Unknown members aren't in it. */
import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { readSlackFailure } from '../posting/slack-failure.ts';

export type UserGroup = { id: string; name: string };
export type UserGroups = ReturnType<typeof createUserGroups>;

const cache = { max: 1_000, ttl: 5 * 60_000, perf: { now: () => Date.now() } };
const listKey = 'all';

export function createUserGroups(client: Pick<WebClient, 'usergroups'>) {
  const members = new LRUCache<string, ReadonlySet<string>>({
    ...cache,
    fetchMethod: async (usergroup) =>
      new Set((await client.usergroups.users.list({ usergroup })).users),
  });
  const lists = new LRUCache<string, UserGroup[]>({
    ...cache,
    fetchMethod: async () => {
      const { usergroups = [] } = await client.usergroups.list({});
      return usergroups.flatMap(({ id, handle, name }) =>
        id ? [{ id, name: handle ? `@${handle}` : (name ?? id) }] : [],
      );
    },
  });

  return {
    /** False while Slack doesn't say. */
    async isInOne(groupIds: readonly string[], userId: string): Promise<boolean> {
      const groups = await Promise.all(groupIds.map((id) => known(members.fetch(id))));
      return groups.some((group) => group?.has(userId));
    },

    /** Empty while Slack doesn't say. */
    list: async (): Promise<UserGroup[]> => (await known(lists.fetch(listKey))) ?? [],
  };
}

async function known<T>(found: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    readSlackFailure(error);
    return undefined;
  }
}
