import { compact, type JsonObject } from '../lib/json.ts';
import type { Message, Person, World } from '../world/world.ts';
import { isFromHook, messagePayload } from './message.ts';

/** Creates the event that Slack sends after a new message. `AppEvents` adds `channel_type`. */
export function messageEvent(world: World, message: Message): JsonObject {
  const { reply_count: _, ...payload } = messagePayload(world, message);
  const root = message.isBroadcast && message.threadTs ? rootOf(world, message) : undefined;
  const channel = world.channels.find((each) => each.id === message.channelId);
  const author = world.people.find((each) => each.id === message.userId);
  // Add the author's team in a Slack Connect channel, where each message names it.
  const teams = channel?.isShared ? { user_team: author?.teamId, source_team: author?.teamId } : {};
  return compact({
    ...payload,
    ...teams,
    subtype: message.isBroadcast ? 'thread_broadcast' : payload['subtype'],
    root,
    channel: message.channelId,
    app_context: message.inView && contextOf(message.inView, author?.teamId),
    event_ts: message.ts,
  });
}

const contextOf = (channelId: string, teamId: string | undefined): JsonObject => ({
  entities: [compact({ type: 'slack#/types/channel_id', value: channelId, team_id: teamId })],
});

/**
 * Creates the event that Slack sends after a person switched to another channel while the app's messages were open. The
 * format is from the documentation, which has no sample.
 */
export const appContextChanged = (
  { id, teamId }: Person,
  { directId, inView, ts }: { directId: string; inView: string; ts: string },
): JsonObject => ({
  type: 'app_context_changed',
  channel: directId,
  user: id,
  context: contextOf(inView, teamId),
  event_ts: ts,
});

const mentionKeys = new Set([
  'client_msg_id',
  'user',
  'text',
  'ts',
  'team',
  'bot_id',
  'app_id',
  'bot_profile',
  'blocks',
  'attachments',
  'files',
  'edited',
  'thread_ts',
  'parent_user_id',
]);

/**
 * Creates the `app_mention` event. For a message that mentions the app, Slack sends it in addition to the `message`
 * event. It has no `channel_type`.
 */
export function appMentionEvent(world: World, message: Message, eventTs: string): JsonObject {
  const payload = Object.entries(messagePayload(world, message));
  const shown = Object.fromEntries(payload.filter(([key]) => mentionKeys.has(key)));
  return { ...shown, type: 'app_mention', channel: message.channelId, event_ts: eventTs };
}

/**
 * Creates the event for a message with links to the manifest's `unfurl_domains`. Returns undefined if the message has
 * no such links.
 */
export function linkSharedEvent(
  world: World,
  message: Message,
  domains: readonly string[],
  botUserId: string | undefined,
): JsonObject | undefined {
  const links = linksOf(message, domains);
  if (links.length === 0 || message.botId) return undefined;
  const channel = world.channels.find((each) => each.id === message.channelId);
  return compact({
    type: 'link_shared',
    user: message.userId,
    channel: message.channelId,
    message_ts: message.ts,
    thread_ts: message.threadTs,
    links,
    source: 'conversations_history',
    unfurl_id: `C-${message.channelId}-${message.ts}`,
    is_bot_user_member: channel?.memberIds.includes(botUserId ?? '') ?? false,
    event_ts: message.ts,
  });
}

/**
 * Creates the event for an unsent draft with links to `unfurl_domains`. Slack doesn't say in which conversation the
 * draft is.
 */
export function composerLinkEvent(
  userId: string,
  previewId: string,
  { links, ts }: { links: { url: string; domain: string }[]; ts: string },
): JsonObject {
  return {
    type: 'link_shared',
    user: userId,
    channel: 'COMPOSER',
    message_ts: previewId,
    links,
    source: 'composer',
    unfurl_id: previewId,
    is_bot_user_member: true,
    event_ts: ts,
  };
}

/** Returns the message's links whose hosts are in `unfurl_domains`. */
export function linksOf(
  message: Pick<Message, 'text'>,
  domains: readonly string[],
): { url: string; domain: string }[] {
  const urls = [...message.text.matchAll(/<(https?:\/\/[^|>]+)/g)].map((match) => match[1] ?? '');
  return urls.flatMap((url) => {
    const host = URL.canParse(url) ? new URL(url).hostname : '';
    const domain = domains.find((each) => host === each || host.endsWith(`.${each}`));
    return domain ? [{ url, domain }] : [];
  });
}

function rootOf(world: World, message: Message): JsonObject | undefined {
  const log = world.messages[message.channelId] ?? [];
  const root = log.find((each) => each.ts === message.threadTs);
  return root && messagePayload(world, root);
}

/** Creates the event that Slack sends after a person or the app itself edited a message. */
export function messageChanged(
  world: World,
  message: Message,
  before: Message,
  ts: string,
): JsonObject {
  return {
    type: 'message',
    subtype: 'message_changed',
    message: messagePayload(world, message),
    previous_message: messagePayload(world, before),
    channel: message.channelId,
    hidden: true,
    ts,
    event_ts: ts,
  };
}

export function messageDeleted(world: World, message: Message, ts: string): JsonObject {
  return {
    type: 'message',
    subtype: 'message_deleted',
    previous_message: messagePayload(world, message),
    channel: message.channelId,
    hidden: true,
    deleted_ts: message.ts,
    event_ts: ts,
    ts,
  };
}

/** Creates the event of a reaction. A message of an incoming webhook has no author, so `item_user` is missing. */
export function reactionEvent(
  type: 'reaction_added' | 'reaction_removed',
  { message, name, userId, ts }: { message: Message; name: string; userId: string; ts: string },
): JsonObject {
  return compact({
    type,
    user: userId,
    reaction: name,
    item: { type: 'message', channel: message.channelId, ts: message.ts },
    item_user: isFromHook(message) ? undefined : message.userId,
    event_ts: ts,
  });
}
