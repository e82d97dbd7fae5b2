import type { JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { eventCallback } from '../payloads/event.ts';
import { channelOf, findInstallation, scopeFamily } from '../world/directory.ts';
import type { Channel, World } from '../world/world.ts';
import type { Deliveries } from './deliveries.ts';
import type { Answer } from './delivery.ts';
import { scopeOfEvent } from './event-scopes.ts';

type Parts = { world: World; manifest: AppManifest; deliveries: Deliveries };

/** Sends the app the events that its manifest subscribes to, from conversations that it's in. */
export class AppEvents {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An event of a conversation; undefined if the app doesn't get it. */
  inChannel(channelId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    const { world } = this.#parts;
    const channel = channelOf(world, channelId);
    const installation = findInstallation(world, channel.teamId);
    if (!installation || !channel.memberIds.includes(installation.botUserId)) return undefined;
    return this.#send(channel.teamId, name, event, channel);
  }

  /** An event of a conversation that the app gets even if it isn't in it. */
  anywhere(channelId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    const channel = channelOf(this.#parts.world, channelId);
    return this.#send(channel.teamId, name, event, channel);
  }

  /** An event outside of conversations. */
  inTeam(teamId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    return this.#send(teamId, name, event);
  }

  /** Apps subscribe to `message` events by kind of conversation: `message.channels`, `message.im`, … */
  message(channelId: string, event: JsonObject): Promise<Answer> | undefined {
    const channel = channelOf(this.#parts.world, channelId);
    const name = `message.${scopeFamily(channel)}`;
    const type = { channels: 'channel', groups: 'group', im: 'im' }[scopeFamily(channel)];
    return this.inChannel(channelId, name, { ...event, channel_type: type });
  }

  #send(
    teamId: string,
    name: string,
    event: JsonObject,
    channel?: Channel,
  ): Promise<Answer> | undefined {
    const { world, manifest, deliveries } = this.#parts;
    if (!manifest.settings.event_subscriptions.bot_events.includes(name)) return undefined;
    const installation = world.installations.findLast((each) => each.teamId === teamId);
    const scope = scopeOfEvent(name, channel);
    if (!installation || (scope && !installation.scopes.includes(scope))) return undefined;
    const where = channel ? { channelId: channel.id, isShared: channel.isShared } : {};
    const payload = eventCallback(world, installation, event, where);
    return deliveries.sendEvent({ kind: 'events_api', payload });
  }
}
