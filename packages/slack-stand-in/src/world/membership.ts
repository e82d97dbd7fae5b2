import type { AppEvents } from '../deliveries/app-events.ts';
import type { Changes } from '../lib/changes.ts';
import type { Clock } from '../lib/ids.ts';
import { appLeftEvent, memberEvent } from '../payloads/member.ts';
import { findInstallation } from './directory.ts';
import type { MessageLog } from './message-log.ts';
import type { Channel, World } from './world.ts';

type Parts = { world: World; changes: Changes; clock: Clock; events: AppEvents; log: MessageLog };

/** People and the app join and leave channels. */
export class Membership {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** False if the person is already in the channel. */
  async join(channel: Channel, userId: string, inviterId?: string): Promise<boolean> {
    if (channel.memberIds.includes(userId)) return false;
    channel.memberIds.push(userId);
    this.#parts.changes.emit({ type: 'channel', channelId: channel.id });
    this.#post(channel, userId, 'channel_join', 'has joined the channel');
    await this.#sendEvent('member_joined_channel', channel, userId, inviterId);
    return true;
  }

  /** False if the person isn't in the channel. The app gets another event when it's the one who leaves. */
  async leave(channel: Channel, userId: string): Promise<boolean> {
    const at = channel.memberIds.indexOf(userId);
    if (at < 0) return false;
    channel.memberIds.splice(at, 1);
    this.#parts.changes.emit({ type: 'channel', channelId: channel.id });
    await this.#sendEvent('member_left_channel', channel, userId);
    await this.#tellRemovedApp(channel, userId);
    return true;
  }

  makePrivate(channel: Channel, userId: string): void {
    channel.kind = 'private';
    this.#parts.changes.emit({ type: 'channel', channelId: channel.id });
    this.#post(channel, userId, 'channel_convert_to_private', 'made this channel private');
  }

  async #tellRemovedApp(channel: Channel, userId: string): Promise<void> {
    const { world, clock, events } = this.#parts;
    if (findInstallation(world, channel.teamId)?.botUserId !== userId) return;
    const type = channel.kind === 'private' ? 'group_left' : 'channel_left';
    await events.anywhere(channel.id, type, appLeftEvent(type, channel, clock.nextTs()));
  }

  #post(channel: Channel, userId: string, subtype: string, words: string): void {
    const draft = { channelId: channel.id, userId, subtype, text: `<@${userId}> ${words}` };
    if (channel.kind !== 'im') this.#parts.log.post(draft);
  }

  async #sendEvent(
    type: 'member_joined_channel' | 'member_left_channel',
    channel: Channel,
    userId: string,
    inviterId?: string,
  ): Promise<void> {
    const { world, clock, events } = this.#parts;
    if (!findInstallation(world, channel.teamId)) return;
    const event = memberEvent(type, { channel, userId, inviterId, ts: clock.nextTs() });
    await events.inChannel(channel.id, type, event);
  }
}
