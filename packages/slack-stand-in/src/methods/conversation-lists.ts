import { conversationPayload } from '../payloads/conversation.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { requireScope } from '../web-api/permissions.ts';
import { findPerson, scopeFamily } from '../world/directory.ts';
import { channelForApp } from '../world/reach.ts';
import type { Channel, Installation, World } from '../world/world.ts';

type Parts = { world: World };

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

/** The kinds in `types`, and the scope family of each. */
const families = { public_channel: 'channels', private_channel: 'groups', im: 'im', mpim: 'mpim' };

export function createConversationLists({ world }: Parts): Method[] {
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
        // Of other people's private conversations, the app only sees those that it's in.
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
      run: ({ channel: id, ...asked }, { installation }) => {
        const channel = channelForApp(world, installation, id);
        requireScope(installation, [`${scopeFamily(channel)}:read`]);
        const page = pageOf(channel.memberIds, (each) => each, asked, sizes);
        return { members: page.items, response_metadata: page.next };
      },
    }),
  ];
}

type Asked = {
  cursor?: string | undefined;
  limit?: number | undefined;
  types?: string | undefined;
  exclude_archived?: boolean | undefined;
};

function listPage(
  world: World,
  installation: Installation,
  asked: Asked,
  seen: (channel: Channel) => boolean,
) {
  const wanted = (asked.types ?? 'public_channel').split(',').map((each) => each.trim());
  const scopes = wanted.map((type) => {
    const family = Object.entries(families).find(([name]) => name === type)?.[1];
    if (!family) throw new ApiError('invalid_types');
    return family;
  });
  for (const family of scopes) requireScope(installation, [`${family}:read`]);
  const channels = world.channels.filter(
    (channel) =>
      channel.teamId === installation.teamId &&
      scopes.includes(scopeFamily(channel)) &&
      !(asked.exclude_archived && channel.isArchived) &&
      seen(channel),
  );
  return pageOf(channels, ({ id }) => id, asked, sizes);
}
