/** Who people are, from `users.info`, cached for a few minutes. */
import type { WebClient } from '@slack/web-api';
import { knownTimeZone } from '../../lib/local-time.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { Role } from './may.ts';

export type Person = {
  name: string;
  /** Address of a small picture, on Slack's own servers. */
  picture: string | undefined;
  teamId: string | undefined;
  role: Exclude<Role, 'unknown'>;
  isAdmin: boolean;
  timeZone: string;
};

/** Someone who looks at runs. */
export type Viewer = { teamId: string; userId: string };

export type People = ReturnType<typeof createPeople>;

/** Each costs a call. People beyond this number are shown by their ids. */
const mostLooks = 30;
const keptMs = 10 * 60_000;
const mostKept = 10_000;

export function createPeople(client: Pick<WebClient, 'users'>) {
  const known = new Map<string, { person: Person; staleAt: number }>();
  const looking = new Map<string, Promise<Person>>();

  /** @throws what the call throws, except for people whom Slack doesn't know */
  async function ask(userId: string): Promise<Person> {
    const person = await client.users.info({ user: userId }).then(
      ({ user }) => readPerson(userId, user),
      (error: unknown) => {
        const { outcome, reason } = readSlackFailure(error);
        if (outcome === 'refused' && reason === 'user_not_found') return unknownToSlack(userId);
        throw error;
      },
    );
    if (known.size >= mostKept) known.clear();
    known.set(userId, { person, staleAt: Date.now() + keptMs });
    return person;
  }

  function recallFresh(userId: string): Person | undefined {
    const found = known.get(userId);
    return found && found.staleAt > Date.now() ? found.person : undefined;
  }

  function find(userId: string): Promise<Person> {
    const fresh = recallFresh(userId);
    if (fresh) return Promise.resolve(fresh);
    const underway = looking.get(userId) ?? ask(userId).finally(() => looking.delete(userId));
    looking.set(userId, underway);
    return underway;
  }

  /** What is known without a call, however old. */
  const recall = (userIds: readonly string[]): KnownPeople =>
    new Map(
      userIds.flatMap((id) => {
        const found = known.get(id);
        return found ? [[id, found.person] as const] : [];
      }),
    );

  return {
    find,
    /** Past the cache, for what changes something. */
    findNow: ask,
    recall,
    /** What `find` would return without a call. */
    recallFresh,
    /** The next `find` calls Slack. */
    forget(userId: string): void {
      known.delete(userId);
    },
    /** The people whom Slack describes; the others are missing. */
    async look(userIds: readonly string[]): Promise<KnownPeople> {
      const asked = [...new Set(userIds)].filter((id) => !recallFresh(id)).slice(0, mostLooks);
      // Names are optional, so failed calls are ignored. Errors that don't come from Slack are bugs and are thrown.
      await Promise.all(asked.map((id) => find(id).catch(readSlackFailure)));
      return recall(userIds);
    },
  };
}

export type KnownPeople = ReadonlyMap<string, Person>;

type User = NonNullable<Awaited<ReturnType<WebClient['users']['info']>>['user']>;

function readPerson(userId: string, user: User | undefined): Person {
  const isGuest = user?.is_restricted || user?.is_ultra_restricted;
  return {
    name: user?.profile?.display_name || user?.real_name || user?.name || userId,
    picture: user?.profile?.image_48 || undefined,
    teamId: user?.team_id,
    role: user?.is_stranger ? 'external' : isGuest ? 'guest' : 'member',
    isAdmin: Boolean(user?.is_admin || user?.is_owner),
    timeZone: knownTimeZone(user?.tz),
  };
}

const unknownToSlack = (userId: string): Person => ({
  name: userId,
  picture: undefined,
  teamId: undefined,
  role: 'external',
  isAdmin: false,
  timeZone: 'UTC',
});
