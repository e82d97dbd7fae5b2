import { userGroupPayload } from '../payloads/user-group.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { teamOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World };

export function createTeamMethods({ world }: Parts): Method[] {
  const groupsOf = (teamId: string) => world.userGroups.filter((each) => each.teamId === teamId);
  return [
    defineMethod({
      name: 'team.info',
      tier: 3,
      scopes: ['team:read'],
      errors: ['team_not_found'],
      args: { team: argument.id.optional(), domain: argument.text.optional() },
      run: ({ team: asked }, { installation }) => {
        if (asked && asked !== installation.teamId) throw new ApiError('team_not_found');
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
