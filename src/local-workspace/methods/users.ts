import { ApiError } from '../api-error.ts';
import { argument, defineMethod, type Method } from '../method.ts';
import { userPayload } from '../payloads/user.ts';
import type { Person, World } from '../world.ts';

type Parts = { world: World };

export function createUserMethods({ world }: Parts): Method[] {
  return [
    defineMethod({
      name: 'users.info',
      tier: 4,
      scopes: ['users:read'],
      errors: ['user_not_found', 'user_not_visible'],
      args: { user: argument.id, include_locale: argument.flag.optional() },
      wrong: { user: 'user_not_found' },
      run: ({ user, include_locale: withLocale }, { installation }) => {
        const person = peopleSeenFrom(world, installation.teamId).find(({ id }) => id === user);
        if (!person) throw new ApiError('user_not_found');
        const locale = withLocale ? { locale: 'en-US' } : {};
        return { user: { ...userPayload(person, installation.teamId), ...locale } };
      },
    }),
  ];
}

/** A team's own people, and the strangers that it shares a channel with. */
export function peopleSeenFrom(world: World, teamId: string): Person[] {
  const channels = world.channels.filter((channel) => channel.teamId === teamId);
  return world.people.filter(
    (person) =>
      person.teamId === teamId || channels.some(({ memberIds }) => memberIds.includes(person.id)),
  );
}
