import { createHmac } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { ApiError } from '../web-api/api-error.ts';
import { type Content, readContent } from '../world/message-content.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Channel, Person, World } from '../world/world.ts';

/** Content of a bot's message. `username` is a name of the bot's choice, which anyone can forge. */
export type BotPost = Content & {
  username?: string | undefined;
  icon_emoji?: string | undefined;
  thread_ts?: string | undefined;
};

type Posting = { world: World; log: MessageLog };
type Author = { bot: Person; channel: Channel; subtype?: 'bot_message' };

/**
 * Posts a message of another app's bot. With the subtype `bot_message`, the message is from an incoming webhook. Such
 * messages name only the bot, and no user.
 */
export function postAsBot({ log }: Posting, { bot, channel, subtype }: Author, post: BotPost) {
  const { botId, appId } = bot;
  if (!botId) throw new Error(`${bot.realName} isn't a bot`);
  if (channel.isArchived) throw new ApiError('is_archived');
  return log.post({
    channelId: channel.id,
    userId: bot.id,
    ...readContent(post, 'chat.postMessage'),
    botId,
    ...(appId && !subtype && { appId }),
    ...(subtype && { subtype }),
    ...(post.username && { username: post.username }),
    ...(post.icon_emoji && { iconEmoji: post.icon_emoji }),
    ...(post.thread_ts && { threadTs: post.thread_ts }),
  });
}

/** Returns the path of a bot's incoming webhook for a channel. The last segment is a secret, as in Slack. */
export function incomingWebhookPath(world: World, { teamId, botId }: Person, channelId: string) {
  if (!botId) throw new Error('only bots have incoming webhooks');
  return `/services/${teamId}/${botId}/${hookSecret(world, botId, channelId)}`;
}

const hookSecret = (world: World, botId: string, channelId: string): string =>
  createHmac('sha256', world.app.signingSecret)
    .update(`${botId} ${channelId}`)
    .digest('base64url')
    .slice(0, 24);

const postSchema = z.looseObject({
  text: z.string().optional(),
  blocks: z.array(z.record(z.string(), z.unknown())).optional(),
  attachments: z.array(z.record(z.string(), z.unknown())).optional(),
  username: z.string().optional(),
  icon_emoji: z.string().optional(),
  thread_ts: z.string().optional(),
});

/**
 * Serves incoming webhooks at `/services/<team>/<bot>/<secret>`, which answer in plain text:
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export function createIncomingWebhooks({ world, log }: Posting): Hono {
  const routes = new Hono();
  routes.post('/:team/:bot/:secret', async (context) => {
    const { bot: botId, secret } = context.req.param();
    const bot = world.people.find((each) => each.botId === botId && !each.deactivated);
    const channel = world.channels.find(({ id }) => hookSecret(world, botId, id) === secret);
    if (!bot || !channel) return context.text('no_service', 404);
    if (channel.isArchived) return context.text('channel_is_archived', 410);
    const post = postSchema.safeParse(bodyOf(await context.req.text()));
    if (!post.success) return context.text('invalid_payload', 400);
    try {
      postAsBot({ world, log }, { bot, channel, subtype: 'bot_message' }, post.data);
    } catch (error) {
      if (error instanceof ApiError) return context.text(error.code, 400);
      throw error;
    }
    return context.text('ok');
  });
  return routes;
}

/** Reads JSON, or a form with JSON in its field `payload`. */
function bodyOf(text: string): unknown {
  const payload = text.startsWith('payload=') ? new URLSearchParams(text).get('payload') : text;
  return parseJson(payload ?? '');
}
