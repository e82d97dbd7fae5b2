import type { Exchange, Traffic } from '../deliveries/traffic.ts';
import type { Flexpane } from '../entities/flexpanes.ts';
import { isObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import type { Actor } from '../people/actor.ts';
import { type AgentSessions, shownStatus, suggestionsIn } from '../world/agent-sessions.ts';
import { canSee, findInstallation } from '../world/directory.ts';
import { servingTeam, shownBlocks } from '../world/views.ts';
import type { AgentSession, Channel, Message, Person, View, World } from '../world/world.ts';
import type {
  ChannelEntry,
  FlexpaneEntry,
  MessageEntry,
  PageEntry,
  PersonEntry,
  SessionEntry,
  TeamEntry,
  TrafficEntry,
  ViewJson,
  Welcome,
} from './page-entry.ts';

export type PageSource = {
  world: World;
  manifest: AppManifest;
  traffic: Traffic;
  sessions: AgentSessions;
  welcome?: Welcome | undefined;
  as: (personId: string) => Actor;
  /** Returns the inspector's entry for an exchange. Creates each entry only once, because exchanges don't change. */
  trafficEntryOf: (exchange: Exchange) => TrafficEntry;
};

/** Max messages per channel on the page. The same limit applies separately to all replies in the channel's threads. */
const messagesShown = 300;
const trafficShown = 200;

/** Returns the entries that make up one person's page, by key. */
export function entriesFor(source: PageSource, person: Person): Map<string, PageEntry> {
  const { world, traffic } = source;
  const actor = source.as(person.id);
  const teamId = servingTeam(world, person);
  const entries = new Map<string, PageEntry>([['team', teamEntry(source, teamId)]]);
  const channels = world.channels.filter((each) => canSee(each, person) && !each.isArchived);
  const botUserId = findInstallation(world, teamId)?.botUserId ?? '';
  for (const each of world.people)
    entries.set(`person/${each.id}`, personEntry(world, each, teamId));
  for (const channel of channels) {
    entries.set(`channel/${channel.id}`, channelEntry(source, channel, { person, botUserId }));
    for (const message of newest(actor.sees(channel.id))) {
      entries.set(`message/${channel.id}/${message.ts}`, messageEntry(message));
    }
    for (const message of actor.passing(channel.id)) {
      const entry = { ...messageEntry(message), isPassing: true };
      entries.set(`message/${channel.id}/${message.ts}`, entry);
    }
  }
  for (const each of world.sessions.filter(({ channelId }) => entries.has(`channel/${channelId}`)))
    entries.set(`session/${each.channelId}/${each.threadTs}`, sessionEntry(source, each));
  const home = actor.home();
  if (home) entries.set('home', { kind: 'home', view: viewJson(world, home) });
  const views = actor.modals().map((each) => viewJson(world, each));
  entries.set('modals', { kind: 'modals', views });
  const flexpane = actor.flexpane();
  if (flexpane) entries.set('flexpane', flexpaneEntry(flexpane));
  for (const exchange of traffic.recent().slice(-trafficShown)) {
    entries.set(`traffic/${exchange.id}`, source.trafficEntryOf(exchange));
  }
  return entries;
}

/**
 * Returns the newest messages of a channel and the newest replies in its threads. A busy thread doesn't displace other
 * messages, and its first message is always included.
 */
function newest(messages: readonly Message[]): Message[] {
  const isReply = ({ threadTs, ts }: Message) => threadTs !== undefined && threadTs !== ts;
  const replies = messages.filter(isReply).slice(-messagesShown);
  const firsts = new Set(replies.map(({ threadTs }) => threadTs));
  const others = messages.filter((each) => !isReply(each));
  const shown = new Set([...others.slice(-messagesShown), ...replies]);
  return messages.filter((each) => shown.has(each) || firsts.has(each.ts));
}

function teamEntry({ world, manifest, welcome }: PageSource, teamId: string): TeamEntry {
  const { display_information: about, features } = manifest;
  const installation = findInstallation(world, teamId);
  const shortcuts = (type: 'global' | 'message') =>
    features.shortcuts
      .filter((each) => each.type === type && installation)
      .map(({ callback_id: callbackId, name, description }) => ({ callbackId, name, description }));
  return {
    kind: 'team',
    name: world.teams.find((team) => team.id === teamId)?.name ?? teamId,
    ...(welcome && { welcome }),
    app: {
      name: about.name,
      description: about.description ?? '',
      botUserId: installation?.botUserId ?? '',
      hasHome: features.app_home?.home_tab_enabled ?? false,
      hasMessages: features.app_home?.messages_tab_enabled ?? true,
      isReadOnly: features.app_home?.messages_tab_read_only_enabled ?? false,
      commands: (installation ? features.slash_commands : []).map((each) => ({
        command: each.command,
        usageHint: each.usage_hint ?? '',
        description: each.description,
      })),
      messageShortcuts: shortcuts('message'),
      globalShortcuts: shortcuts('global'),
    },
  };
}

function personEntry(world: World, person: Person, teamId: string): PersonEntry {
  const { id, name: handle, realName, role, timeZone, title } = person;
  const isHere =
    person.teamId === teamId ||
    world.channels.some((each) => each.teamId === teamId && each.memberIds.includes(id));
  const home = world.teams.find((team) => team.id === person.teamId);
  const otherTeam = person.teamId !== teamId && home ? { otherTeam: home.name } : {};
  return {
    kind: 'person',
    id,
    name: realName,
    handle,
    role,
    timeZone,
    title,
    isHere,
    ...otherTeam,
  };
}

const channelTypes = { public: 'public', private: 'private', im: 'direct' } as const;

function channelEntry(
  { world, manifest }: PageSource,
  channel: Channel,
  { person, botUserId }: { person: Person; botUserId: string },
): ChannelEntry {
  const { id, name, kind, topic, memberIds } = channel;
  const withPerson = kind === 'im' && memberIds.find((each) => each !== person.id);
  const isWithApp = withPerson === botUserId;
  return {
    kind: 'channel',
    id,
    name,
    type: channelTypes[kind],
    topic: topic || channel.purpose,
    memberIds,
    isMember: memberIds.includes(person.id),
    hasApp: memberIds.includes(botUserId),
    ...(withPerson && { withPerson }),
    ...(isWithApp && { suggestions: suggestionsIn(world, manifest, id) }),
  };
}

function messageEntry(message: Message): MessageEntry {
  const { channelId, ts, userId, text, threadTs, editedTs, username, iconEmoji } = message;
  return {
    kind: 'message',
    channel: channelId,
    ts,
    user: userId,
    text,
    isEphemeral: message.visibleTo !== undefined,
    isBroadcast: message.isBroadcast,
    blocks: message.blocks ?? [],
    attachments: message.attachments ?? [],
    files: (message.files ?? []).map(({ name, title, size }) => ({
      name: String(name ?? 'deleted'),
      title: String(title ?? 'File'),
      bytes: Number(size) || 0,
    })),
    reactions: message.reactions.map(({ name, userIds }) => ({ name, users: userIds })),
    ...(threadTs && { threadTs }),
    ...(editedTs && { editedTs }),
    ...(username && { username }),
    ...(iconEmoji && { iconEmoji }),
  };
}

function flexpaneEntry({ channelId, messageTs, externalRef, shown }: Flexpane): FlexpaneEntry {
  const key = `${channelId} ${messageTs} ${externalRef.id}`;
  return { kind: 'flexpane', key, channel: channelId, ...shown };
}

function sessionEntry({ sessions }: PageSource, session: AgentSession): SessionEntry {
  const { channelId, threadTs, title } = session;
  return {
    kind: 'session',
    channel: channelId,
    threadTs,
    title,
    status: shownStatus(session, Date.now()),
    canBeStopped: sessions.canBeStopped,
  };
}

/**
 * Returns the fields of a view that the page shows. A cast is safe, because the content was checked when the app sent
 * the view.
 */
function viewJson(world: World, view: View): ViewJson {
  const { id, type, content } = view;
  const { title, submit, close } = content;
  return {
    id,
    type,
    blocks: shownBlocks(world, view),
    ...readLabel('title', title),
    ...readLabel('submit', submit),
    ...readLabel('close', close),
  };
}

function readLabel(key: 'title' | 'submit' | 'close', value: unknown): Partial<ViewJson> {
  if (!isObject(value) || typeof value['text'] !== 'string') return {};
  return { [key]: { text: value['text'] } };
}
