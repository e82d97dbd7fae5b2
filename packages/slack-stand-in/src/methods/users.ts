import { botPayload, userGroupPayload, userPayload } from '../payloads/user.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { isMemberOf, teamOf } from '../world/directory.ts';
import type { Installation, Person, World } from '../world/world.ts';

export function createUserMethods({
  world,
  baseUrl,
}: {
  world: World;
  baseUrl: () => string;
}): Method[] {
  return [
    defineMethod({
      name: 'users.info',
      tier: 4,
      scopes: ['users:read'],
      errors: ['user_not_found'],
      args: { user: argument.id, include_locale: argument.flag.optional() },
      wrong: { user: 'user_not_found' },
      run: ({ user, include_locale: withLocale }, { installation }) => {
        const person = peopleSeenBy(world, installation).find(({ id }) => id === user);
        if (!person) throw new ApiError('user_not_found');
        const locale = withLocale ? { locale: 'en-US' } : {};
        return { user: { ...userPayload(world, person, installation, baseUrl()), ...locale } };
      },
    }),
    defineMethod({
      name: 'users.list',
      tier: 2,
      scopes: ['users:read'],
      errors: ['invalid_cursor'],
      args: {
        cursor: argument.text.optional(),
        limit: argument.count.optional(),
        include_locale: argument.flag.optional(),
        team_id: argument.text.optional(),
      },
      run: (args, { installation }) => {
        const people = peopleSeenFrom(world, installation.teamId);
        const page = pageOf(people, ({ id }) => id, args, {
          usual: 1000,
          most: 1000,
          limitError: 'invalid_arguments',
        });
        return {
          members: page.items.map((person) => userPayload(world, person, installation, baseUrl())),
          cache_ts: Math.floor(Date.now() / 1000),
          response_metadata: page.next,
        };
      },
    }),
    defineMethod({
      name: 'users.lookupByEmail',
      tier: 3,
      scopes: ['users:read.email'],
      errors: ['users_not_found'],
      args: { email: argument.id },
      wrong: { email: 'users_not_found' },
      run: ({ email }, { installation }) => {
        const { teamId } = installation;
        const isIt = (person: Person) => person.email === email && isMemberOf(person, teamId);
        const person = world.people.find(isIt);
        if (!person) throw new ApiError('users_not_found');
        return { user: userPayload(world, person, installation, baseUrl()) };
      },
    }),
    defineMethod({
      name: 'bots.info',
      tier: 3,
      scopes: ['users:read'],
      errors: ['bot_not_found'],
      args: { bot: argument.id.optional(), team_id: argument.text.optional() },
      run: ({ bot: id }, { installation }) => {
        const botId = id ?? installation.botId;
        const bot = world.people.find((each) => each.botId === botId);
        if (bot?.teamId !== installation.teamId) throw new ApiError('bot_not_found');
        return { bot: botPayload(bot) };
      },
    }),
  ];
}

/**
 * Returns the people that a token can see. An organization's token sees all workspaces, because `users.info` has no
 * argument to select a workspace.
 */
function peopleSeenBy(world: World, { teamId, enterpriseId }: Installation): Person[] {
  const organization = world.organizations.find(({ id }) => id === enterpriseId);
  const teamIds = organization?.teamIds ?? [teamId];
  return [...new Set([...teamIds, teamId].flatMap((id) => peopleSeenFrom(world, id)))];
}

/** Returns the people of a team, and other people who are in the team's channels. */
function peopleSeenFrom(world: World, teamId: string): Person[] {
  const channels = world.channels.filter((channel) => channel.teamId === teamId);
  return world.people.filter(
    (person) =>
      isMemberOf(person, teamId) || channels.some(({ memberIds }) => memberIds.includes(person.id)),
  );
}

export function createTeamMethods({ world }: { world: World }): Method[] {
  const groupsOf = (teamId: string) => world.userGroups.filter((each) => each.teamId === teamId);
  return [
    defineMethod({
      name: 'team.info',
      tier: 3,
      scopes: ['team:read'],
      errors: ['team_not_found'],
      args: { team: argument.id.optional(), domain: argument.text.optional() },
      run: ({ team: args }, { installation }) => {
        if (args && args !== installation.teamId) throw new ApiError('team_not_found');
        const { id, name, domain } = teamOf(world, installation.teamId);
        const icon = { image_34: '', image_44: '', image_68: '', image_default: true };
        return { team: { id, name, domain, email_domain: 'example.com', icon } };
      },
    }),
    defineMethod({
      name: 'usergroups.list',
      tier: 2,
      scopes: ['usergroups:read'],
      args: {
        include_count: argument.flag.optional(),
        include_disabled: argument.flag.optional(),
        include_users: argument.flag.optional(),
        team_id: argument.text.optional(),
      },
      run: (args, { installation }) => ({
        usergroups: groupsOf(installation.teamId).map((group) => ({
          ...userGroupPayload(group),
          ...(args.include_count && { user_count: group.memberIds.length }),
          ...(args.include_users && { users: group.memberIds }),
        })),
      }),
    }),
    defineMethod({
      name: 'usergroups.users.list',
      tier: 2,
      scopes: ['usergroups:read'],
      errors: ['no_such_subteam'],
      args: {
        usergroup: argument.id,
        include_disabled: argument.flag.optional(),
        team_id: argument.text.optional(),
      },
      wrong: { usergroup: 'no_such_subteam' },
      run: ({ usergroup: id }, { installation }) => {
        const group = groupsOf(installation.teamId).find((each) => each.id === id);
        if (!group) throw new ApiError('no_such_subteam');
        return { users: group.memberIds };
      },
    }),
  ];
}
