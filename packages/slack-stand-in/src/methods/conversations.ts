import { conversationPayload } from '../payloads/conversation.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { requireScope } from '../web-api/permissions.ts';
import { scopeFamily } from '../world/directory.ts';
import type { Membership } from '../world/membership.ts';
import { channelForApp, openDirect } from '../world/reach.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; membership: Membership };

/** Reads, opens, joins and leaves one conversation. */
export function createConversationMethods(parts: Parts): Method[] {
  const { world } = parts;
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
        // Group conversations aren't supported.
        if (others.length > 0) throw new ApiError('too_many_users');
        const channel = id
          ? channelForApp(world, installation, id)
          : openDirect(world, installation, userId ?? '');
        if (!isWhole) return { channel: { id: channel.id } };
        const whole = conversationPayload(channel, installation.botUserId);
        return { no_op: true, already_open: true, channel: whole };
      },
    }),
    ...createMembershipMethods(parts),
  ];
}

function createMembershipMethods({ world, membership }: Parts): Method[] {
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
