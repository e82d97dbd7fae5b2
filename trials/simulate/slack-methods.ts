import { bot, channels, type Json, people, type SlackMessage, team } from './slack-world.ts';

/** What methods read and change. */
type Conversations = {
  readonly messages: readonly SlackMessage[];
  readonly statuses: { thread: string; status: string }[];
  write(
    message: Pick<SlackMessage, 'channel' | 'userId' | 'text'> & Partial<SlackMessage>,
  ): SlackMessage;
  find(channel: unknown, ts: unknown): SlackMessage | undefined;
  noteVersion(message: SlackMessage): void;
};

type Method = (model: Conversations, given: Json) => Json;

const refuse = (error: string) => ({ ok: false, error });
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const isTrue = (value: unknown) => String(value) === 'true';

const isKnownChannel = (channel: string) =>
  channels.some((each) => each === channel) || channel.startsWith('D');

/** A message to a person goes to their direct messages. */
const placeOf = (channel: string) => (channel.startsWith('U') ? `D${channel}` : channel);

const shown = (
  { ts, threadTs, userId, text, metadata, blocks }: SlackMessage,
  hasMarks: boolean,
) => ({
  ...{ type: 'message', ts, text, blocks, user: userId },
  ...(userId === bot.userId && { bot_id: bot.botId }),
  ...(threadTs && { thread_ts: threadTs }),
  ...(hasMarks && metadata && { metadata }),
});

function list(model: Conversations, given: Json, isIn: (message: SlackMessage) => boolean): Json {
  const oldest = textOf(given['oldest']) || '0';
  const found = model.messages.filter(
    (each) =>
      each.channel === given['channel'] &&
      !each.isDeleted &&
      each.visibleTo === undefined &&
      Number(each.ts) > Number(oldest) &&
      isIn(each),
  );
  const hasMarks = isTrue(given['include_all_metadata']);
  return { messages: found.map((each) => shown(each, hasMarks)), has_more: false };
}

function write(model: Conversations, given: Json, visibleTo?: string): Json {
  const channel = placeOf(textOf(given['channel']));
  const threadTs = textOf(given['thread_ts']) || undefined;
  if (!isKnownChannel(channel)) return refuse('channel_not_found');
  if (threadTs && !visibleTo && !model.find(channel, threadTs)) return refuse('thread_not_found');
  const { ts } = model.write({
    ...{ channel, threadTs, userId: bot.userId, text: textOf(given['text']), visibleTo },
    blocks: (given['blocks'] as Json[] | undefined) ?? [],
    metadata: given['metadata'] as SlackMessage['metadata'],
  });
  return visibleTo ? { message_ts: ts } : { channel, ts };
}

function update(model: Conversations, given: Json): Json {
  const message = model.find(given['channel'], given['ts']);
  if (!message) return refuse('message_not_found');
  message.text = textOf(given['text']);
  message.blocks = (given['blocks'] as Json[] | undefined) ?? [];
  const { text, blocks } = message;
  model.noteVersion(message);
  return { channel: message.channel, ts: message.ts, text, blocks };
}

function remove(model: Conversations, given: Json): Json {
  const message = model.find(given['channel'], given['ts']);
  if (!message) return refuse('message_not_found');
  message.isDeleted = true;
  return {};
}

function describePerson(_: Conversations, { user }: Json): Json {
  if (!people.some((each) => each === user)) return refuse('user_not_found');
  const profile = { display_name: `Person ${textOf(user)}` };
  return { user: { id: user, team_id: team, name: textOf(user), profile, tz: 'UTC' } };
}

const describeChannel: Method = (_, { channel }) =>
  isKnownChannel(textOf(channel))
    ? { channel: { id: channel, name: textOf(channel), is_channel: true, is_member: true } }
    : refuse('channel_not_found');

/** Where the app answers clicks and commands. */
const respond: Method = (model, given) => {
  const text = textOf(given['text']);
  model.write({ channel: 'answers', userId: bot.userId, text, visibleTo: people[0] });
  return {};
};

export const methods: Readonly<Record<string, Method>> = {
  'auth.test': () => ({
    ...{ team: 'Simulated', team_id: team, user_id: bot.userId, bot_id: bot.botId },
  }),
  'users.info': describePerson,
  'conversations.info': describeChannel,
  'conversations.join': describeChannel,
  'conversations.open': (_, { users }) => ({ channel: { id: `D${textOf(users)}` } }),
  'conversations.members': () => ({ members: [...people, bot.userId] }),
  'users.conversations': () => ({ channels: channels.map((id) => ({ id })) }),
  'usergroups.list': () => ({ usergroups: [] }),
  'conversations.history': (model, given) =>
    list(model, given, ({ threadTs, ts }) => threadTs === undefined || threadTs === ts),
  'conversations.replies': (model, given) =>
    model.find(given['channel'], given['ts'])
      ? list(model, given, ({ threadTs, ts }) => (threadTs ?? ts) === given['ts'])
      : refuse('thread_not_found'),
  'chat.postMessage': (model, given) => write(model, given),
  'chat.postEphemeral': (model, given) => write(model, given, textOf(given['user'])),
  'chat.update': update,
  'chat.delete': remove,
  'chat.getPermalink': (_, { channel, message_ts: ts }) => ({
    permalink: `https://simulated.slack.test/archives/${textOf(channel)}/p${textOf(ts)}`,
  }),
  'reactions.add': () => ({}),
  'reactions.remove': () => ({}),
  'agents.sessions.setStatus': (model, { channel_id, thread_ts, status }) => {
    const thread = `${textOf(channel_id)} ${textOf(thread_ts)}`;
    model.statuses.push({ thread, status: textOf(status) });
    return {};
  },
  'views.open': () => ({ view: { id: 'V01', hash: '1' } }),
  'views.update': () => ({ view: { id: 'V01', hash: '2' } }),
  'views.publish': () => ({ view: { id: 'V02', hash: '1' } }),
  'https://hooks.slack.test/answer': respond,
};
