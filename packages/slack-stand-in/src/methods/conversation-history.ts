import { microsOf } from '../lib/ids.ts';
import { messagePayload } from '../payloads/message.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { pageOf } from '../web-api/paging.ts';
import { requireScope } from '../web-api/permissions.ts';
import { channelForApp, scopeFamily } from '../world/directory.ts';
import type { Channel, Installation, Message, World } from '../world/world.ts';

const scopes = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];

const args = {
  channel: argument.id,
  cursor: argument.text.optional(),
  limit: argument.count.optional(),
  oldest: argument.text.optional(),
  latest: argument.text.optional(),
  inclusive: argument.flag.optional(),
  include_all_metadata: argument.flag.optional(),
};

/**
 * Max page size, and the error for a higher one. Slack's reference names no error for these methods, so the error is
 * the general one.
 */
const sizes = { most: 999, limitError: 'invalid_arguments' };

const errors = ['channel_not_found', 'invalid_cursor', 'invalid_ts_latest', 'invalid_ts_oldest'];

/**
 * Creates the methods that read messages. A channel's messages are newest first, a thread's oldest first. Ephemeral
 * messages are left out.
 */
export function createHistoryMethods({ world }: { world: World }): Method[] {
  return [
    defineMethod({
      name: 'conversations.history',
      tier: 3,
      scopes,
      errors: [...errors, 'not_in_channel'],
      args,
      wrong: { channel: 'channel_not_found' },
      run: (args, { installation }) => {
        const channel = readableChannel(world, installation, args.channel);
        const log = (world.messages[channel.id] ?? [])
          .filter(
            ({ visibleTo, threadTs, isBroadcast }) => !visibleTo && (!threadTs || isBroadcast),
          )
          .filter(within(args))
          .toReversed();
        const page = pageOf(log, ({ ts }) => ts, args, { ...sizes, usual: 100 });
        return {
          messages: shown(world, page.items, args),
          has_more: page.hasMore,
          pin_count: 0,
          channel_actions_ts: null,
          channel_actions_count: 0,
          ...(page.hasMore && { response_metadata: page.next }),
        };
      },
    }),
    defineMethod({
      name: 'conversations.replies',
      tier: 3,
      scopes,
      errors: [...errors, 'thread_not_found', 'not_in_channel'],
      args: { ...args, ts: argument.id },
      wrong: { channel: 'channel_not_found', ts: 'thread_not_found' },
      run: (args, { installation }) => {
        const channel = readableChannel(world, installation, args.channel);
        const all = (world.messages[channel.id] ?? []).filter(({ visibleTo }) => !visibleTo);
        // Accept a deleted first message if replies remain. Slack shows such replies below "This message was
        // deleted".
        const isKnown = all.some(({ ts, threadTs }) => ts === args.ts || threadTs === args.ts);
        if (!isKnown) throw new ApiError('thread_not_found');
        // Select messages by their own time or by their thread's time. For a reply's time, Slack returns only that
        // reply.
        const isIn = within(args);
        const thread = all.filter(
          (message) => message.ts === args.ts || (message.threadTs === args.ts && isIn(message)),
        );
        const page = pageOf(thread, ({ ts }) => ts, args, { ...sizes, usual: 999 });
        return {
          messages: shown(world, page.items, args),
          has_more: page.hasMore,
          ...(page.hasMore && { response_metadata: page.next }),
        };
      },
    }),
  ];
}

function readableChannel(world: World, installation: Installation, id: string): Channel {
  const channel = channelForApp(world, installation, id);
  requireScope(installation, [`${scopeFamily(channel)}:history`]);
  if (!channel.memberIds.includes(installation.botUserId)) throw new ApiError('not_in_channel');
  return channel;
}

type Range = {
  oldest?: string | undefined;
  latest?: string | undefined;
  inclusive?: boolean | undefined;
};

/**
 * Returns a filter that accepts messages between `oldest` and `latest`. Messages at exactly these times are accepted
 * only if `inclusive` is set.
 */
function within({ oldest = '0', latest, inclusive = false }: Range) {
  const from = microsOf(oldest);
  const to = latest === undefined || latest === 'now' ? Number.POSITIVE_INFINITY : microsOf(latest);
  if (Number.isNaN(from)) throw new ApiError('invalid_ts_oldest');
  if (Number.isNaN(to)) throw new ApiError('invalid_ts_latest');
  return ({ ts }: Message) => {
    const at = microsOf(ts);
    return inclusive ? at >= from && at <= to : at > from && at < to;
  };
}

function shown(
  world: World,
  messages: readonly Message[],
  { include_all_metadata: metadata = false }: { include_all_metadata?: boolean | undefined },
) {
  return messages.map((message) => messagePayload(world, message, { metadata }));
}
