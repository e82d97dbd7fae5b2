import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import { appLeftEvent, memberEvent } from '../payloads/conversation.ts';
import { subteamMembersChanged, subteamSelf, subteamUpdated } from '../payloads/user.ts';
import { findInstallation } from './directory.ts';
import type { MessageLog } from './message-log.ts';
import type { Channel, World } from './world.ts';

type MembershipDeps = {
  world: World;
  changes: Changes;
  clock: Clock;
  events: AppEvents;
  log: MessageLog;
};

/** Lets people and the app join and leave channels. */
export class Membership {
  readonly #deps: MembershipDeps;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
  }

  /** Adds a person to the channel. Returns false if they are already in it. */
  async join(channel: Channel, userId: string, inviterId?: string): Promise<boolean> {
    if (channel.memberIds.includes(userId)) return false;
    channel.memberIds.push(userId);
    this.#deps.changes.emit({ type: 'channel', channelId: channel.id });
    this.#post(channel, userId, 'channel_join', 'has joined the channel');
    await this.#sendEvent('member_joined_channel', channel, userId, inviterId);
    return true;
  }

  /**
   * Removes a person from the channel. Returns false if they aren't in it. If the person is the app's bot user, the app
   * gets an extra event.
   */
  async leave(channel: Channel, userId: string): Promise<boolean> {
    const at = channel.memberIds.indexOf(userId);
    if (at < 0) return false;
    channel.memberIds.splice(at, 1);
    this.#deps.changes.emit({ type: 'channel', channelId: channel.id });
    await this.#sendEvent('member_left_channel', channel, userId);
    await this.#tellRemovedApp(channel, userId);
    return true;
  }

  makePrivate(channel: Channel, userId: string): void {
    channel.kind = 'private';
    this.#deps.changes.emit({ type: 'channel', channelId: channel.id });
    this.#post(channel, userId, 'channel_convert_to_private', 'made this channel private');
  }

  async #tellRemovedApp(channel: Channel, userId: string): Promise<void> {
    const { world, clock, events } = this.#deps;
    if (findInstallation(world, channel.teamId)?.botUserId !== userId) return;
    const type = channel.kind === 'private' ? 'group_left' : 'channel_left';
    await events.anywhere(channel.id, type, appLeftEvent(type, channel, clock.nextTs()));
  }

  #post(channel: Channel, userId: string, subtype: string, text: string): void {
    const draft = { channelId: channel.id, userId, subtype, text: `<@${userId}> ${text}` };
    if (channel.kind !== 'im') this.#deps.log.post(draft);
  }

  async #sendEvent(
    type: 'member_joined_channel' | 'member_left_channel',
    channel: Channel,
    userId: string,
    inviterId?: string,
  ): Promise<void> {
    const { world, clock, events } = this.#deps;
    if (!findInstallation(world, channel.teamId)) return;
    const event = memberEvent(type, { channel, userId, inviterId, ts: clock.nextTs() });
    await events.inChannel(channel.id, type, event);
  }
}

/** Changes the members of a user group. Resolves when the app has acknowledged the events. */
export async function changeUserGroup(
  { world, clock, events }: { world: World; clock: Clock; events: AppEvents },
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  const group = world.userGroups.find(({ id }) => id === groupId);
  if (!group) throw new Error(`there is no user group ${groupId}`);
  const before = group.memberIds;
  group.memberIds = [...memberIds];
  const added = memberIds.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !memberIds.includes(id));
  const bot = findInstallation(world, group.teamId)?.botUserId ?? '';
  const ts = () => clock.nextTs();
  const sent = [
    subteamUpdated(group, ts()),
    subteamMembersChanged(group, { added, removed, ts: ts() }),
    ...(added.includes(bot) ? [subteamSelf('subteam_self_added', group, ts())] : []),
    ...(removed.includes(bot) ? [subteamSelf('subteam_self_removed', group, ts())] : []),
  ];
  for (const event of sent) await events.inTeam(group.teamId, String(event['type']), event);
}
