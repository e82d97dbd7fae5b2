import { messagePayload } from '../payloads/message.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { channelForApp, findMessage } from '../world/directory.ts';
import { hasRichText, readContent } from '../world/message-content.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Message, World } from '../world/world.ts';

type ChatChangeDeps = {
  world: World;
  log: MessageLog;
  baseUrl: () => string;
  /** Messages that can't be edited anymore, as `channel:ts`. */
  closedForEdits: ReadonlySet<string>;
  /** True to reject updates that remove rich text, even if Slack made the rich text of markdown. */
  blockMismatchAfterMarkdown: boolean;
};

/** Creates the methods that change posted messages. */
export function createChangeMethods(deps: ChatChangeDeps): Method[] {
  const { world, log, baseUrl } = deps;
  return [
    updateMethod(deps),
    defineMethod({
      name: 'chat.delete',
      tier: 3,
      scopes: ['chat:write'],
      errors: ['cant_delete_message', 'channel_not_found', 'message_not_found'],
      args: { channel: argument.id, ts: argument.id, as_user: argument.flag.optional() },
      run: ({ channel: channelId, ts }, { installation }) => {
        const channel = channelForApp(world, installation, channelId);
        const message = visibleMessage(world, channel.id, ts);
        if (message.userId !== installation.botUserId) throw new ApiError('cant_delete_message');
        void log.remove(message);
        return { channel: channel.id, ts };
      },
    }),
    defineMethod({
      name: 'chat.getPermalink',
      tier: 5,
      errors: ['channel_not_found', 'message_not_found'],
      args: { channel: argument.id, message_ts: argument.id },
      run: ({ channel: channelId, message_ts: ts }, { installation }) => {
        const channel = channelForApp(world, installation, channelId);
        const message = visibleMessage(world, channel.id, ts);
        return { channel: channel.id, permalink: permalinkOf(baseUrl(), message) };
      },
    }),
  ];
}

function updateMethod({
  world,
  log,
  closedForEdits,
  blockMismatchAfterMarkdown,
}: ChatChangeDeps): Method {
  return defineMethod({
    name: 'chat.update',
    tier: 3,
    scopes: ['chat:write'],
    errors: [
      'block_mismatch',
      'cant_update_message',
      'channel_not_found',
      'edit_window_closed',
      'invalid_attachments',
      'invalid_blocks',
      'is_inactive',
      'markdown_text_conflict',
      'message_not_found',
      'invalid_metadata_schema',
      'metadata_too_large',
      'msg_blocks_too_long',
      'msg_too_long',
      'no_text',
      'too_many_attachments',
    ],
    args: {
      channel: argument.id,
      ts: argument.id,
      text: argument.text.optional(),
      markdown_text: argument.text.optional(),
      blocks: argument.objects.optional(),
      attachments: argument.objects.optional(),
      metadata: argument.object.optional(),
      as_user: argument.flag.optional(),
      link_names: argument.flag.optional(),
      parse: argument.text.optional(),
      reply_broadcast: argument.flag.optional(),
      file_ids: argument.list.optional(),
    },
    wrong: { blocks: 'invalid_blocks_format', metadata: 'invalid_metadata_format' },
    run: (args, { installation }) => {
      const channel = channelForApp(world, installation, args.channel);
      if (channel.isArchived) throw new ApiError('is_inactive');
      const message = visibleMessage(world, channel.id, args.ts);
      if (message.userId !== installation.botUserId) throw new ApiError('cant_update_message');
      if (closedForEdits.has(`${channel.id}:${message.ts}`))
        throw new ApiError('edit_window_closed');
      const { metadata, ...rest } = args;
      const isEmptied = metadata !== undefined && Object.keys(metadata).length === 0;
      const content = readContent(isEmptied ? rest : args, 'chat.update');
      const isHeld = blockMismatchAfterMarkdown
        ? hasRichText(message.blocks)
        : message.sentRichText;
      // Accept an empty list of blocks, because it means that the message has only text.
      if (isHeld && content.blocks?.length && !hasRichText(content.blocks)) {
        throw new ApiError('block_mismatch');
      }
      // Remove the old blocks if the update has only text. Attachments and metadata stay until they're replaced.
      const emptied = isEmptied ? { metadata: undefined } : {};
      void log.update(message, {
        blocks: undefined,
        sentRichText: undefined,
        ...content,
        ...emptied,
      });
      const shown = messagePayload(world, message, { metadata: true });
      return { channel: channel.id, ts: message.ts, text: message.text, message: shown };
    },
  });
}

/** Returns a message that apps can find. Apps can't find ephemeral messages. */
function visibleMessage(world: World, channelId: string, ts: string): Message {
  const message = findMessage(world, channelId, ts);
  if (!message || message.visibleTo) throw new ApiError('message_not_found');
  return message;
}

/** Returns a permalink to a message. The page of the stand-in opens it. */
function permalinkOf(baseUrl: string, { channelId, ts, threadTs }: Message): string {
  const url = new URL(`/archives/${channelId}/p${ts.replace('.', '')}`, baseUrl);
  if (threadTs)
    url.search = new URLSearchParams({ thread_ts: threadTs, cid: channelId }).toString();
  return url.href;
}
