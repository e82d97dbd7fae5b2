import { compact, type JsonObject } from '../lib/json.ts';
import { isMemberOf, namedThread } from '../world/directory.ts';
import type { Channel, Message, Person, World } from '../world/world.ts';

/** Returns a message in the format of history, events and shortcuts. Metadata is included only if requested. */
export function messagePayload(
  world: World,
  message: Message,
  { metadata = false }: { metadata?: boolean } = {},
): JsonObject {
  const channel = world.channels.find((each) => each.id === message.channelId);
  const author = world.people.find((each) => each.id === message.userId);
  const isHook = isFromHook(message);
  return compact({
    client_msg_id: message.clientMessageId,
    type: 'message',
    subtype: message.subtype,
    user: isHook ? undefined : message.userId,
    text: message.text,
    ts: message.ts,
    team: isHook ? undefined : teamIn(channel, author),
    bot_id: message.botId,
    app_id: message.appId,
    username: message.username,
    icons: message.iconEmoji ? { emoji: message.iconEmoji } : undefined,
    bot_profile: botProfile(world, message),
    blocks: message.blocks,
    attachments: message.attachments,
    files: message.files,
    edited: message.editedTs ? { user: message.userId, ts: message.editedTs } : undefined,
    metadata: metadata ? message.metadata : undefined,
    reactions: reactionsOf(message),
    ...threadOf(world, message),
  });
}

/**
 * Returns the workspace in which the author wrote. For an author from another company, returns the author's home team.
 * An organization's app has no workspace, so the channel's team is used.
 */
function teamIn(channel: Channel | undefined, author: Person | undefined): string | undefined {
  const isHome = author && (author.teamId === '' || isMemberOf(author, channel?.teamId ?? ''));
  return isHome ? channel?.teamId : (author?.teamId ?? channel?.teamId);
}

/** Returns true for a message of an incoming webhook. Such messages have no user, only a bot. */
export const isFromHook = ({ subtype }: Message): boolean => subtype === 'bot_message';

function reactionsOf({ reactions }: Message): JsonObject[] | undefined {
  if (reactions.length === 0) return undefined;
  return reactions.map(({ name, userIds }) => ({ name, users: userIds, count: userIds.length }));
}

function botProfile(world: World, message: Message): JsonObject | undefined {
  if (!message.botId || isFromHook(message)) return undefined;
  const bot = world.people.find((each) => each.botId === message.botId);
  return {
    id: message.botId,
    deleted: false,
    name: bot?.realName ?? 'bot',
    updated: 1_735_689_600,
    app_id: message.appId,
    icons: { image_36: '', image_48: '', image_72: '' },
    team_id: bot?.teamId,
  };
}

/**
 * Returns the fields of a message that describe its thread. A thread's first message has the number of replies. A reply
 * has the first message's author.
 */
function threadOf(world: World, message: Message): JsonObject {
  const all = world.messages[message.channelId] ?? [];
  if (message.threadTs) {
    const parent = all.find((each) => each.ts === message.threadTs);
    const parentUser = parent && isFromHook(parent) ? undefined : parent?.userId;
    return compact({ thread_ts: message.threadTs, parent_user_id: parentUser });
  }
  const replies = all.filter((each) => each.threadTs === message.ts && !each.visibleTo);
  if (replies.length === 0) return compact({ thread_ts: namedThread(world, message) });
  const users = [...new Set(replies.map((each) => each.userId))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    latest_reply: replies.at(-1)?.ts,
    reply_users: users.slice(0, 5),
    is_locked: false,
    subscribed: false,
  };
}
