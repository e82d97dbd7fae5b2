import {
  answersUrl,
  type Json,
  type SlackMessage,
  type SlackView,
  type Workspace,
  workspaceOf,
} from './slack-world.ts';

/** Data that methods read and change. */
type Conversations = {
  readonly isOutside: boolean;
  readonly messages: readonly SlackMessage[];
  readonly statuses: { thread: string; status: string }[];
  write(
    message: Pick<SlackMessage, 'channel' | 'userId' | 'text'> & Partial<SlackMessage>,
  ): SlackMessage;
  find(channel: unknown, ts: unknown): SlackMessage | undefined;
  noteVersion(message: SlackMessage): void;
  noteDeleted(message: SlackMessage): void;
  /**
   * Opens a form.
   * @returns the view, or Slack's error code
   */
  open(triggerId: string, view: Json): SlackView | string;
  findView(id: unknown): SlackView | undefined;
  replaceView(opened: SlackView, view: Json): void;
};

/** A method of the Web API. `us` is the token's workspace, `sentMs` the time of the call. */
type Method = (model: Conversations, given: Json, us: Workspace, sentMs: number) => Json;

const reject = (error: string) => ({ ok: false, error });
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const isTrue = (value: unknown) => String(value) === 'true';

const isKnownChannel = (channel: string, us: Workspace) => workspaceOf(channel) === us;

/** Returns the channel of a post. A message to a person goes to their direct messages. */
const placeOf = (channel: string) => (channel.startsWith('U') ? `D${channel}` : channel);

const shown = (
  { ts, threadTs, userId, text, metadata, blocks }: SlackMessage,
  us: Workspace,
  hasMarks: boolean,
) => ({
  type: 'message',
  ts,
  text,
  blocks,
  user: userId,
  ...(userId === us.bot.userId && { bot_id: us.bot.botId }),
  ...(threadTs && { thread_ts: threadTs }),
  ...(hasMarks && metadata && { metadata }),
});

/** Returns true for public channels without the app. */
const isOutside = (model: Conversations, channel: unknown, { channels: [first] }: Workspace) =>
  model.isOutside && channel === first;

function list(
  model: Conversations,
  given: Json,
  us: Workspace,
  isIn: (message: SlackMessage) => boolean,
): Json {
  if (isOutside(model, given['channel'], us)) return reject('not_in_channel');
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
  return { messages: found.map((each) => shown(each, us, hasMarks)), has_more: false };
}

/** Returns true for a message with replies. If it's deleted, it stays as a placeholder. */
const hasThread = (model: Conversations, channel: unknown, ts: unknown): boolean =>
  model.find(channel, ts) !== undefined ||
  model.messages.some(
    (each) =>
      each.channel === channel && each.threadTs === ts && !each.isDeleted && !each.visibleTo,
  );

const write: Method = (model, given, us, sentMs) => post(model, given, us, { sentMs });

function post(
  model: Conversations,
  given: Json,
  us: Workspace,
  { sentMs, visibleTo }: { sentMs: number; visibleTo?: string },
): Json {
  const channel = placeOf(textOf(given['channel']));
  const threadTs = textOf(given['thread_ts']) || undefined;
  if (!isKnownChannel(channel, us)) return reject('channel_not_found');
  if (threadTs && !visibleTo && !hasThread(model, channel, threadTs))
    return reject('thread_not_found');
  const { ts } = model.write({
    channel,
    threadTs,
    userId: us.bot.userId,
    text: textOf(given['text']),
    sentMs,
    visibleTo,
    blocks: (given['blocks'] as Json[] | undefined) ?? [],
    metadata: given['metadata'] as SlackMessage['metadata'],
  });
  return visibleTo ? { message_ts: ts } : { channel, ts };
}

function update(model: Conversations, given: Json): Json {
  const message = model.find(given['channel'], given['ts']);
  if (!message) return reject('message_not_found');
  message.text = textOf(given['text']);
  message.blocks = (given['blocks'] as Json[] | undefined) ?? [];
  const { text, blocks } = message;
  model.noteVersion(message);
  return { channel: message.channel, ts: message.ts, text, blocks };
}

function remove(model: Conversations, given: Json): Json {
  const message = model.find(given['channel'], given['ts']);
  if (!message) return reject('message_not_found');
  message.isDeleted = true;
  model.noteDeleted(message);
  return {};
}

/** Describes a person. People of another workspace are strangers, whom the app meets in shared channels. */
function describePerson(_: Conversations, { user }: Json, us: Workspace): Json {
  const id = textOf(user);
  const theirs = workspaceOf(id);
  if (!theirs) return reject('user_not_found');
  const profile = { display_name: `Person ${id}` };
  const about = { id, team_id: theirs.team, name: id, profile, tz: 'UTC' };
  return { user: { ...about, ...(theirs !== us && { is_stranger: true }) } };
}

const describeChannel: Method = (model, { channel }, us) => {
  if (!isKnownChannel(textOf(channel), us)) return reject('channel_not_found');
  const is_member = !isOutside(model, channel, us);
  return { channel: { id: channel, name: textOf(channel), is_channel: true, is_member } };
};

/** Handles an answer to a person through a response URL. */
function respond(model: Conversations, given: Json, userId: string, us: Workspace): Json {
  const [text, blocks] = [textOf(given['text']), (given['blocks'] as Json[] | undefined) ?? []];
  model.write({ channel: 'answers', userId: us.bot.userId, text, blocks, visibleTo: userId });
  return {};
}

const openView: Method = (model, { trigger_id: triggerId, view }) => {
  const opened = model.open(textOf(triggerId), view as Json);
  return typeof opened === 'string' ? reject(opened) : { view: viewOf(opened) };
};

const updateView: Method = (model, { view_id: id, hash, view }) => {
  const opened = model.findView(id);
  if (!opened) return reject('not_found');
  if (hash !== undefined && hash !== opened.hash) return reject('hash_conflict');
  model.replaceView(opened, view as Json);
  return { view: viewOf(opened) };
};

export const viewOf = ({ id, hash, view }: SlackView): Json => ({ ...view, id, hash });

const methods: Readonly<Record<string, Method>> = {
  'auth.test': (_, __, { team, bot }) => ({
    team: 'Simulated',
    team_id: team,
    user_id: bot.userId,
    bot_id: bot.botId,
  }),
  'users.info': describePerson,
  'conversations.info': describeChannel,
  'conversations.open': (_, { users }) => ({ channel: { id: `D${textOf(users)}` } }),
  'conversations.members': (_, __, { people, bot }) => ({ members: [...people, bot.userId] }),
  'users.conversations': (_, __, { channels }) => ({ channels: channels.map((id) => ({ id })) }),
  'usergroups.list': () => ({ usergroups: [] }),
  'conversations.history': (model, given, us) =>
    list(model, given, us, ({ threadTs, ts }) => threadTs === undefined || threadTs === ts),
  'conversations.replies': (model, given, us) =>
    hasThread(model, given['channel'], given['ts'])
      ? list(model, given, us, ({ threadTs, ts }) => (threadTs ?? ts) === given['ts'])
      : reject('thread_not_found'),
  'chat.postMessage': write,
  'chat.postEphemeral': (model, given, us, sentMs) =>
    post(model, given, us, { sentMs, visibleTo: textOf(given['user']) }),
  'chat.update': update,
  'chat.delete': remove,
  'chat.getPermalink': (_, { channel, message_ts: ts }) => ({
    permalink: `https://simulated.slack.test/archives/${textOf(channel)}/p${textOf(ts)}`,
  }),
  'reactions.add': () => ({}),
  'reactions.remove': () => ({}),
  'agents.sessions.setStatus': (model, { channel_id, thread_ts, status }, us) => {
    if (isOutside(model, channel_id, us)) return reject('not_authorized');
    const thread = `${textOf(channel_id)} ${textOf(thread_ts)}`;
    model.statuses.push({ thread, status: textOf(status) });
    return {};
  },
  'views.open': openView,
  'views.push': openView,
  'views.update': updateView,
  'views.publish': () => ({ view: { id: 'V00', hash: '1' } }),
};

/** Returns Slack's answer to a call with the token of `us`. Undefined for a method that isn't simulated. */
export function callMethod(
  model: Conversations,
  method: string,
  given: Json,
  { us, sentMs }: { us: Workspace | undefined; sentMs: number },
): Json | undefined {
  if (method.startsWith(answersUrl)) {
    const userId = method.slice(answersUrl.length);
    const theirs = workspaceOf(userId);
    return theirs && respond(model, given, userId, theirs);
  }
  if (!us) return reject('invalid_auth');
  return methods[method]?.(model, given, us, sentMs);
}
