/** Reads people from `users.info`, and caches them for a few minutes. */
import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { knownTimeZone } from 'base/time/local-time';
import { LRUCache } from 'lru-cache';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { KnownNames } from '../text/typed-text.ts';
import type { Role } from './permissions.ts';

export type Person = {
  name: string;
  /** URL of a small picture on Slack's servers. */
  picture: string | undefined;
  /** IDs of the person's workspaces. In an organization, a person can be in several. */
  teamIds: readonly string[];
  role: Role;
  isAdmin: boolean;
  timeZone: string;
  /** Email address. Undefined without the scope `users:read.email`. */
  email?: string | undefined;
};

export type People = ReturnType<typeof createPeople>;

/** Returns names by user ID. People that Slack doesn't name are missing. */
export type ReadNames = (userIds: readonly string[]) => Promise<KnownNames>;

/** Max people to read from Slack at once. Others are shown by their IDs. */
const maxCalls = 30;
const freshMs = 10 * 60_000;
/** Max age of an answer that is used while Slack is down, in ms. */
const recentMs = 24 * 60 * 60_000;
const cache = {
  ...entryLimit(10_000),
  ttl: freshMs,
  perf: { now: () => Date.now() },
  noDeleteOnStaleGet: true,
  noDeleteOnFetchRejection: true,
  // Let a waiting `find` finish when `forget` removes the person.
  ignoreFetchAbort: true,
};

export function createPeople(client: Pick<WebClient, 'users'>) {
  const cached = new LRUCache<string, Person>({ ...cache, fetchMethod: fetchPerson });

  /**
   * Reads a person from Slack.
   * @throws errors of the call, except for people that Slack doesn't know
   */
  async function fetchPerson(userId: string): Promise<Person> {
    try {
      const { user } = await client.users.info({ user: userId });
      return readPerson(userId, user);
    } catch (error) {
      const { outcome, reason } = readSlackFailure(error);
      if (outcome === 'rejected' && reason === 'user_not_found') return unknownToSlack(userId);
      throw error;
    }
  }

  /** Returns cached people without calling Slack, however old the cached data is. */
  const recall = (userIds: readonly string[]): KnownPeople =>
    new Map(
      userIds.flatMap((id) => {
        const found = cached.get(id, { allowStale: true });
        return found ? [[id, found] as const] : [];
      }),
    );

  /** Returns the age of a cached answer. It's at least `freshMs` if there is none. */
  const ageMs = (userId: string) => freshMs - cached.getRemainingTTL(userId);

  /** Returns a person that Slack described within the last day. */
  function recallRecent(userId: string): Person | undefined {
    return ageMs(userId) < recentMs ? cached.get(userId, { allowStale: true }) : undefined;
  }

  /** Reads people from the cache or from Slack. People that Slack doesn't describe are missing. */
  async function look(userIds: readonly string[]): Promise<KnownPeople> {
    const missing = [...new Set(userIds)].filter((id) => !cached.has(id)).slice(0, maxCalls);
    // Ignore failed calls, because names are optional. Errors that don't come from Slack are bugs and are thrown.
    await Promise.all(missing.map((id) => cached.fetch(id).catch(readSlackFailure)));
    return recall(userIds);
  }

  const readNames: ReadNames = async (userIds) =>
    new Map([...(await look(userIds))].map(([id, { name }]) => [id, name]));

  return {
    find: (userId: string): Promise<Person> => cached.forceFetch(userId),
    /**
     * Reads a person from Slack instead of from the cache. Used before something is changed.
     * @param maxAgeMs max age of a cached answer to use instead
     */
    findNow: (userId: string, maxAgeMs = 0): Promise<Person> =>
      cached.forceFetch(userId, { forceRefresh: maxAgeMs === 0 || ageMs(userId) > maxAgeMs }),
    recall,
    recallRecent,
    look,
    readNames,
    /** Removes a person from the cache, so that the next `find` calls Slack. */
    forget: (userId: string): boolean => cached.delete(userId),
  };
}

export type KnownPeople = ReadonlyMap<string, Person>;

type User = NonNullable<Awaited<ReturnType<WebClient['users']['info']>>['user']>;

function readPerson(userId: string, user: User | undefined): Person {
  return {
    name: user?.profile?.display_name || user?.real_name || user?.name || userId,
    picture: user?.profile?.image_48 || undefined,
    teamIds: [user?.team_id, ...(user?.enterprise_user?.teams ?? [])].filter(
      (id) => id !== undefined,
    ),
    role: roleOf(user),
    isAdmin: Boolean(user?.is_admin || user?.is_owner),
    timeZone: knownTimeZone(user?.tz),
    email: user?.profile?.email || undefined,
  };
}

function roleOf(user: User | undefined): Role {
  if (!user) return 'unknown';
  if (user.deleted) return 'deactivated';
  // Treat Slackbot as a bot, although Slack doesn't mark it as one. Anyone can have it write reminders.
  if (user.is_bot || user.id === 'USLACKBOT') return 'bot';
  if (user.is_stranger) return 'external';
  return user.is_restricted || user.is_ultra_restricted ? 'guest' : 'member';
}

const unknownToSlack = (userId: string): Person => ({
  name: userId,
  picture: undefined,
  teamIds: [],
  role: 'external',
  isAdmin: false,
  timeZone: 'UTC',
});

export type ReadIdentity = (userId: string) => Promise<string | undefined>;

/**
 * Creates a reader of email addresses, which identify people to the runs service. It returns undefined if Slack hides
 * the address.
 */
export const createIdentityReader =
  ({ look }: People): ReadIdentity =>
  async (userId) =>
    (await look([userId])).get(userId)?.email;
