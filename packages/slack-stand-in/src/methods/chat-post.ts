import { messagePayload } from '../payloads/message.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { channelToPostIn, findMessage, findPerson } from '../world/directory.ts';
import { readContent } from '../world/message-content.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Installation, World } from '../world/world.ts';

const content = {
  channel: argument.id,
  text: argument.text.optional(),
  markdown_text: argument.text.optional(),
  blocks: argument.objects.optional(),
  attachments: argument.objects.optional(),
  thread_ts: argument.text.optional(),
  username: argument.text.optional(),
  icon_emoji: argument.text.optional(),
  icon_url: argument.text.optional(),
  link_names: argument.flag.optional(),
  parse: argument.text.optional(),
  metadata: argument.object.optional(),
};

const wrong = {
  channel: 'channel_not_found',
  blocks: 'invalid_blocks_format',
} as const;

const contentErrors = [
  'invalid_blocks',
  'is_archived',
  'markdown_text_conflict',
  'msg_too_long',
  'no_text',
  'messages_tab_disabled',
  'not_in_channel',
  'too_many_attachments',
  'cannot_reply_to_message',
];

export function createPostMethods({
  world,
  log,
  isMessagesTabOpen,
}: {
  world: World;
  log: MessageLog;
  isMessagesTabOpen: boolean;
}): Method[] {
  return [
    defineMethod({
      name: 'chat.postMessage',
      tier: 'post',
      scopes: ['chat:write'],
      errors: [
        ...contentErrors,
        'invalid_attachments',
        'msg_blocks_too_long',
        'metadata_too_large',
        'invalid_metadata_format',
        'invalid_metadata_schema',
      ],
      args: {
        ...content,
        mrkdwn: argument.flag.optional(),
        reply_broadcast: argument.flag.optional(),
        unfurl_links: argument.flag.optional(),
        unfurl_media: argument.flag.optional(),
      },
      wrong: { ...wrong, metadata: 'invalid_metadata_format' },
      run: (args, { installation }) => {
        const channel = channelToPostIn(world, installation, args.channel);
        if (channel.kind === 'im' && !isMessagesTabOpen)
          throw new ApiError('messages_tab_disabled');
        const { message } = log.post({
          channelId: channel.id,
          ...readContent(args, 'chat.postMessage'),
          ...authorOf(world, installation, args),
          ...placeOf(world, channel.id, args.thread_ts),
          isBroadcast: Boolean(args.reply_broadcast && args.thread_ts),
        });
        const shown = messagePayload(world, message, { metadata: true });
        return { channel: channel.id, ts: message.ts, message: shown };
      },
    }),
    defineMethod({
      name: 'chat.postEphemeral',
      tier: 4,
      scopes: ['chat:write'],
      errors: [...contentErrors, 'user_not_in_channel', 'invalid_attachments'],
      args: { ...content, user: argument.id },
      wrong: { ...wrong, user: 'user_not_in_channel' },
      run: (args, { installation }) => {
        const channel = channelToPostIn(world, installation, args.channel);
        if (channel.kind === 'im' && !isMessagesTabOpen)
          throw new ApiError('messages_tab_disabled');
        const person = findPerson(world, args.user);
        if (!person || !channel.memberIds.includes(person.id)) {
          throw new ApiError('user_not_in_channel');
        }
        const { message } = log.post({
          channelId: channel.id,
          ...readContent(args, 'chat.postEphemeral'),
          ...authorOf(world, installation, args),
          ...placeOf(world, channel.id, args.thread_ts),
          visibleTo: person.id,
        });
        return { message_ts: message.ts };
      },
    }),
  ];
}

type Look = { username?: string | undefined; icon_emoji?: string | undefined };

function authorOf(world: World, { botUserId, botId, scopes }: Installation, look: Look) {
  const canCustomize = scopes.includes('chat:write.customize');
  return {
    userId: botUserId,
    botId,
    appId: world.app.id,
    ...(canCustomize && look.username && { username: look.username }),
    ...(canCustomize && look.icon_emoji && { iconEmoji: look.icon_emoji }),
  };
}

/**
 * Returns the thread to post in, if any. As in Slack, a reply to a reply joins that reply's thread. A reply to a
 * missing message is posted.
 */
function placeOf(world: World, channelId: string, threadTs: string | undefined) {
  if (threadTs === undefined) return {};
  const parent = findMessage(world, channelId, threadTs);
  if (parent?.visibleTo) throw new ApiError('cannot_reply_to_message');
  return { threadTs: parent?.threadTs ?? threadTs };
}
