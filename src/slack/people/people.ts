/** Who people are, from `users.info`, cached for a few minutes. */
import type { WebClient } from '@slack/web-api';
import { atMost } from 'base/at-most';
import { knownTimeZone } from 'base/time/local-time';
import { LRUCache } from 'lru-cache';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { KnownNames } from '../text/typed-text.ts';
import type { Role } from './may.ts';

export type Person = {
  name: string;
  /** Address of a small picture, on Slack's own servers. */
  picture: string | undefined;
  /** Of an organization, people can be in several workspaces. */
  teamIds: readonly string[];
  role: Role;
  isAdmin: boolean;
  timeZone: string;
  /** With the scope `users:read.email` only. */
  email?: string | undefined;
};

export type People = ReturnType<typeof createPeople>;

/** Names by user id. Ids that Slack doesn't name are missing. */
export type ReadNames = (userIds: readonly string[]) => Promise<KnownNames>;

/** Each costs a call. People beyond this number are shown by their ids. */
const mostLooks = 30;
const freshMs = 10 * 60_000;
/** So long, what Slack said counts while it doesn't answer. */
const recentMs = 24 * 60 * 60_000;
const cache = {
  ...atMost(10_000),
  ttl: freshMs,
  perf: { now: () => Date.now() },
  noDeleteOnStaleGet: true,
  noDeleteOnFetchRejection: true,
  // A `forget` doesn't fail who waits for the answer.
  ignoreFetchAbort: true,
};

export function createPeople(client: Pick<WebClient, 'users'>) {
  const known = new LRUCache<string, Person>({ ...cache, fetchMethod: ask });

  /** @throws what the call throws, except for people whom Slack doesn't know */
  async function ask(userId: string): Promise<Person> {
    try {
      const { user } = await client.users.info({ user: userId });
      return readPerson(userId, user);
    } catch (error) {
      const { outcome, reason } = readSlackFailure(error);
      if (outcome === 'refused' && reason === 'user_not_found') return unknownToSlack(userId);
      throw error;
    }
  }

  /** What is known without a call, however old. */
  const recall = (userIds: readonly string[]): KnownPeople =>
    new Map(
      userIds.flatMap((id) => {
        const found = known.get(id, { allowStale: true });
        return found ? [[id, found] as const] : [];
      }),
    );

  /** What Slack said within the last day. */
  function recallRecent(userId: string): Person | undefined {
    const ageMs = freshMs - known.getRemainingTTL(userId);
    return ageMs < recentMs ? known.get(userId, { allowStale: true }) : undefined;
  }

  /** The people whom Slack describes; the others are missing. */
  async function look(userIds: readonly string[]): Promise<KnownPeople> {
    const asked = [...new Set(userIds)].filter((id) => !known.has(id)).slice(0, mostLooks);
    // Names are optional, so failed calls are ignored. Errors that don't come from Slack are bugs and are thrown.
    await Promise.all(asked.map((id) => known.fetch(id).catch(readSlackFailure)));
    return recall(userIds);
  }

  const readNames: ReadNames = async (userIds) =>
    new Map([...(await look(userIds))].map(([id, { name }]) => [id, name]));

  return {
    find: (userId: string): Promise<Person> => known.forceFetch(userId),
    /** Past the cache, for what changes something. */
    findNow: (userId: string): Promise<Person> => known.forceFetch(userId, { forceRefresh: true }),
    recall,
    recallRecent,
    look,
    readNames,
    /** The next `find` calls Slack. */
    forget: (userId: string): boolean => known.delete(userId),
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
  // Slack doesn't call its own bot one, and anyone can have it write reminders.
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

/** Who a person is for the runs service; undefined if that isn't known. */
export type ReadIdentity = (userId: string) => Promise<string | undefined>;

/** The email address of the person who starts a run; undefined if Slack doesn't say it. */
export const createIdentityReader =
  ({ look }: Pick<People, 'look'>): ReadIdentity =>
  async (userId) =>
    (await look([userId])).get(userId)?.email;
