import { readEmojiName } from '../lib/emoji-name.ts';
import { messagePayload } from '../payloads/message.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { channelForApp, findMessage } from '../world/directory.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Channel, Installation, Message, World } from '../world/world.ts';

const errors = [
  'bad_timestamp',
  'channel_not_found',
  'message_not_found',
  'no_item_specified',
  // Include an error that the reference doesn't list, because Slack returns it (HubSpot/slack-client#356).
  'not_in_channel',
];
const item = { channel: argument.id, timestamp: argument.id };
const wrong = { channel: 'no_item_specified', timestamp: 'no_item_specified' };

export function createReactionMethods({ world, log }: { world: World; log: MessageLog }): Method[] {
  return [
    defineMethod({
      name: 'reactions.add',
      tier: 3,
      scopes: ['reactions:write'],
      errors: [...errors, 'already_reacted', 'invalid_name', 'is_archived'],
      args: { ...item, name: argument.text },
      wrong: { ...wrong, name: 'invalid_name' },
      run: (args, { installation }) => {
        const { channel, message } = itemOf(world, installation, args);
        if (channel.isArchived) throw new ApiError('is_archived');
        const { isNew } = log.react(message, readName(args.name), installation.botUserId);
        if (!isNew) throw new ApiError('already_reacted');
        return {};
      },
    }),
    defineMethod({
      name: 'reactions.remove',
      tier: 2,
      scopes: ['reactions:write'],
      errors: [...errors, 'invalid_name', 'no_reaction'],
      args: { ...item, name: argument.text },
      wrong: { ...wrong, name: 'invalid_name' },
      run: (args, { installation }) => {
        const { message } = itemOf(world, installation, args);
        const { wasThere } = log.unreact(message, readName(args.name), installation.botUserId);
        if (!wasThere) throw new ApiError('no_reaction');
        return {};
      },
    }),
    defineMethod({
      name: 'reactions.get',
      tier: 3,
      scopes: ['reactions:read'],
      errors,
      args: { ...item, full: argument.flag.optional() },
      wrong,
      run: (args, { installation }) => {
        const { channel, message } = itemOf(world, installation, args);
        const shown = messagePayload(world, message);
        return { type: 'message', channel: channel.id, message: shown };
      },
    }),
  ];
}

function readName(input: string): string {
  const name = readEmojiName(input);
  if (!name) throw new ApiError('invalid_name');
  return name;
}

function itemOf(
  world: World,
  installation: Installation,
  { channel: id, timestamp }: { channel: string; timestamp: string },
): { channel: Channel; message: Message } {
  const channel = channelForApp(world, installation, id);
  if (!channel.memberIds.includes(installation.botUserId)) throw new ApiError('not_in_channel');
  if (!/^\d+\.\d{6}$/.test(timestamp)) throw new ApiError('bad_timestamp');
  const message = findMessage(world, channel.id, timestamp);
  if (!message || message.visibleTo) throw new ApiError('message_not_found');
  return { channel, message };
}
