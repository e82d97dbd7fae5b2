/** Who people are, as Slack says: the one reader of `users.info` for what may be a few minutes old. */
import type { WebClient } from '@slack/web-api';
import { readSlackTrouble } from '../posting/slack-trouble.ts';

export type Person = {
  name: string;
  /** Address of a small picture that Slack itself keeps. */
  picture: string | undefined;
  teamId: string | undefined;
  standing: 'member' | 'guest' | 'stranger';
  isAdmin: boolean;
};

export type People = ReturnType<typeof createPeople>;

/** One look costs one call; more people than this at a time stay ids. */
const mostLooks = 30;
const keptMs = 10 * 60_000;
const mostKept = 10_000;

export function createPeople(client: Pick<WebClient, 'users'>) {
  const known = new Map<string, { person: Person; staleAt: number }>();
  const looking = new Map<string, Promise<Person>>();

  /** @throws whatever the call throws, but not for somebody whom Slack does not know */
  async function ask(userId: string): Promise<Person> {
    const person = await client.users.info({ user: userId }).then(
      ({ user }) => readPerson(userId, user),
      (error: unknown) => {
        const { outcome, reason } = readSlackTrouble(error);
        if (outcome === 'refused' && reason === 'user_not_found') return somebodyElse(userId);
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
    const under = looking.get(userId) ?? ask(userId).finally(() => looking.delete(userId));
    looking.set(userId, under);
    return under;
  }

  /** What is known of these people without asking, be it old. */
  const recall = (userIds: readonly string[]): KnownPeople =>
    new Map(
      userIds.flatMap((id) => {
        const found = known.get(id);
        return found ? [[id, found.person] as const] : [];
      }),
    );

  return {
    find,
    recall,
    /** What `find` would give without asking. */
    recallFresh,
    /** Slack is asked again: who was refused may have become a member. */
    forget(userId: string): void {
      known.delete(userId);
    },
    /** As many as Slack tells of; the others stay ids. */
    async look(userIds: readonly string[]): Promise<KnownPeople> {
      const asked = [...new Set(userIds)].filter((id) => !recallFresh(id)).slice(0, mostLooks);
      // A name is nice to have; what is no answer of Slack is a bug and goes on.
      await Promise.all(asked.map((id) => find(id).catch(readSlackTrouble)));
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
    standing: user?.is_stranger ? 'stranger' : isGuest ? 'guest' : 'member',
    isAdmin: Boolean(user?.is_admin || user?.is_owner),
  };
}

const somebodyElse = (userId: string): Person => ({
  name: userId,
  picture: undefined,
  teamId: undefined,
  standing: 'stranger',
  isAdmin: false,
});
