import { conversationPayload } from '../payloads/conversation.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { requireScope } from '../web-api/permissions.ts';
import { channelForApp, findPerson, openDirect, scopeFamily } from '../world/directory.ts';
import type { Membership } from '../world/membership.ts';
import type { Channel, Installation, World } from '../world/world.ts';

type ConversationsDeps = { world: World; membership: Membership };

/** Creates the methods that read, open, join and leave a conversation. */
export function createConversationMethods(deps: ConversationsDeps): Method[] {
  const { world } = deps;
  return [
    defineMethod({
      name: 'conversations.info',
      tier: 3,
      scopes: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
      errors: ['channel_not_found'],
      args: {
        channel: argument.id,
        include_locale: argument.flag.optional(),
        include_num_members: argument.flag.optional(),
      },
      wrong: { channel: 'channel_not_found' },
      run: ({ channel: id, include_num_members: withMembers = false }, { installation }) => {
        const channel = channelForApp(world, installation, id);
        requireScope(installation, [`${scopeFamily(channel)}:read`]);
        return { channel: conversationPayload(channel, installation.botUserId, { withMembers }) };
      },
    }),
    defineMethod({
      name: 'conversations.open',
      tier: 3,
      scopes: ['im:write', 'mpim:write', 'channels:manage', 'groups:write'],
      errors: ['channel_not_found', 'too_many_users', 'user_not_found', 'users_list_not_supplied'],
      args: {
        channel: argument.id.optional(),
        users: argument.list.optional(),
        return_im: argument.flag.optional(),
        prevent_creation: argument.flag.optional(),
      },
      run: ({ channel: id, users = [], return_im: isWhole }, { installation }) => {
        requireScope(installation, ['im:write']);
        const [userId, ...others] = users;
        if (!id && !userId) throw new ApiError('users_list_not_supplied');
        // Reject several people, because the stand-in doesn't support group conversations.
        if (others.length > 0) throw new ApiError('too_many_users');
        const channel = id
          ? channelForApp(world, installation, id)
          : openDirect(world, installation, userId ?? '');
        if (!isWhole) return { channel: { id: channel.id } };
        const whole = conversationPayload(channel, installation.botUserId);
        return { no_op: true, already_open: true, channel: whole };
      },
    }),
    ...createMembershipMethods(deps),
  ];
}

function createMembershipMethods({ world, membership }: ConversationsDeps): Method[] {
  return [
    defineMethod({
      name: 'conversations.join',
      tier: 3,
      scopes: ['channels:join'],
      errors: ['channel_not_found', 'is_archived', 'method_not_supported_for_channel_type'],
      args: { channel: argument.id },
      wrong: { channel: 'channel_not_found' },
      run: ({ channel: id }, { installation }) => {
        const channel = channelForApp(world, installation, id);
        if (channel.kind !== 'public') throw new ApiError('method_not_supported_for_channel_type');
        if (channel.isArchived) throw new ApiError('is_archived');
        const { botUserId } = installation;
        const wasIn = channel.memberIds.includes(botUserId);
        void membership.join(channel, botUserId);
        const warnings = ['already_in_channel'];
        return {
          channel: conversationPayload(channel, botUserId),
          ...(wasIn && { warning: 'already_in_channel', response_metadata: { warnings } }),
        };
      },
    }),
    defineMethod({
      name: 'conversations.leave',
      tier: 3,
      scopes: ['channels:manage', 'groups:write', 'im:write', 'mpim:write'],
      errors: [
        'cant_leave_general',
        'channel_not_found',
        'is_archived',
        'method_not_supported_for_channel_type',
      ],
      args: { channel: argument.id },
      wrong: { channel: 'channel_not_found' },
      run: ({ channel: id }, { installation }) => {
        const channel = channelForApp(world, installation, id);
        if (channel.kind === 'im') throw new ApiError('method_not_supported_for_channel_type');
        if (channel.isArchived) throw new ApiError('is_archived');
        if (channel.name === 'general') throw new ApiError('cant_leave_general');
        const wasIn = channel.memberIds.includes(installation.botUserId);
        void membership.leave(channel, installation.botUserId);
        return wasIn ? {} : { not_in_channel: true };
      },
    }),
  ];
}

const readScopes = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const paging = { cursor: argument.text.optional(), limit: argument.count.optional() };
const pagingErrors = ['invalid_cursor', 'invalid_limit'];
const sizes = { usual: 100, most: 1000 };
const ofTypes = {
  ...paging,
  types: argument.text.optional(),
  exclude_archived: argument.flag.optional(),
  team_id: argument.text.optional(),
};

/** Kinds of conversation in the argument `types`, with the name of their scopes, as in `groups:read`. */
const families = { public_channel: 'channels', private_channel: 'groups', im: 'im', mpim: 'mpim' };

export function createConversationLists({ world }: { world: World }): Method[] {
  return [
    defineMethod({
      name: 'conversations.list',
      tier: 2,
      scopes: readScopes,
      errors: [...pagingErrors, 'invalid_types'],
      args: ofTypes,
      run: (args, { installation }) => {
        const seen = (channel: Channel) =>
          channel.kind === 'public' || channel.memberIds.includes(installation.botUserId);
        const page = listPage(world, installation, args, seen);
        const shown = page.items.map((each) =>
          conversationPayload(each, installation.botUserId, { withMembers: true }),
        );
        return { channels: shown, response_metadata: page.next };
      },
    }),
    defineMethod({
      name: 'users.conversations',
      tier: 3,
      scopes: readScopes,
      errors: [...pagingErrors, 'invalid_types'],
      args: { ...ofTypes, user: argument.id.optional(), exclude_muted: argument.flag.optional() },
      run: (args, { installation }) => {
        const userId = args.user ?? installation.botUserId;
        if (!findPerson(world, userId)) throw new ApiError('invalid_arguments');
        // Returns true if the app can see that the person is in a conversation. The app sees private conversations
        // only as a member.
        const seen = ({ kind, memberIds }: Channel) =>
          memberIds.includes(userId) &&
          (kind === 'public' || memberIds.includes(installation.botUserId));
        const page = listPage(world, installation, args, seen);
        const shown = page.items.map((each) => {
          const { is_member: _, ...payload } = conversationPayload(each, installation.botUserId);
          return payload;
        });
        return { channels: shown, response_metadata: page.next };
      },
    }),
    defineMethod({
      name: 'conversations.members',
      tier: 4,
      scopes: readScopes,
      errors: [...pagingErrors, 'channel_not_found'],
      args: { ...paging, channel: argument.id },
      wrong: { channel: 'channel_not_found' },
      run: ({ channel: id, ...args }, { installation }) => {
        const channel = channelForApp(world, installation, id);
        requireScope(installation, [`${scopeFamily(channel)}:read`]);
        const page = pageOf(channel.memberIds, (each) => each, args, sizes);
        return { members: page.items, response_metadata: page.next };
      },
    }),
  ];
}

type ListArgs = {
  cursor?: string | undefined;
  limit?: number | undefined;
  types?: string | undefined;
  exclude_archived?: boolean | undefined;
};

function listPage(
  world: World,
  installation: Installation,
  args: ListArgs,
  seen: (channel: Channel) => boolean,
) {
  const types = (args.types ?? 'public_channel').split(',').map((each) => each.trim());
  const scopes = types.map((type) => {
    const family = Object.entries(families).find(([name]) => name === type)?.[1];
    if (!family) throw new ApiError('invalid_types');
    return family;
  });
  for (const family of scopes) requireScope(installation, [`${family}:read`]);
  const channels = world.channels.filter(
    (channel) =>
      channel.teamId === installation.teamId &&
      scopes.includes(scopeFamily(channel)) &&
      !(args.exclude_archived && channel.isArchived) &&
      seen(channel),
  );
  return pageOf(channels, ({ id }) => id, args, sizes);
}
