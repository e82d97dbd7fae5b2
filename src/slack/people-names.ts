import type { WebClient } from '@slack/web-api';
import { readSlackTrouble } from './slack-trouble.ts';
import type { KnownNames } from './typed-text.ts';

/** Names for ids, as many as could be learnt; the others stay ids. */
export type ReadNames = (userIds: readonly string[]) => Promise<KnownNames>;

/** One look costs one call; more people than this in a thread stay ids. */
const mostLooks = 30;
const keptMs = 60 * 60 * 1000;
const mostKept = 10_000;

export function createNameReader(client: WebClient): ReadNames {
  const known = new Map<string, { name: string; staleAt: number }>();

  const look = async (userId: string): Promise<void> => {
    try {
      const { user } = await client.users.info({ user: userId });
      const name = user?.profile?.display_name || user?.real_name || user?.name || userId;
      if (known.size >= mostKept) known.clear();
      known.set(userId, { name, staleAt: Date.now() + keptMs });
    } catch (error) {
      // A name is nice to have; what is no answer of Slack is a bug and goes on.
      readSlackTrouble(error);
    }
  };

  return async (userIds) => {
    const now = Date.now();
    const unknown = [...new Set(userIds)].filter((id) => (known.get(id)?.staleAt ?? 0) <= now);
    await Promise.all(unknown.slice(0, mostLooks).map(look));
    return new Map(userIds.flatMap((id) => named(id, known.get(id)?.name)));
  };
}

const named = (id: string, name: string | undefined): [string, string][] =>
  name === undefined ? [] : [[id, name]];
