import type { JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { eventCallback } from '../payloads/event.ts';
import { channelOf, findInstallation, scopeFamily } from '../world/directory.ts';
import type { Channel, World } from '../world/world.ts';
import type { Deliveries } from './deliveries.ts';
import type { Answer } from './delivery.ts';

type AppEventsDeps = { world: World; manifest: AppManifest; deliveries: Deliveries };

/** Sends the app the events that its manifest subscribes to and its scopes allow. */
export class AppEvents {
  readonly #deps: AppEventsDeps;

  constructor(deps: AppEventsDeps) {
    this.#deps = deps;
  }

  /**
   * Sends an event about a conversation if the app is in the conversation. Returns undefined if the app doesn't get the
   * event.
   */
  inChannel(channelId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    const { world } = this.#deps;
    const channel = channelOf(world, channelId);
    const installation = findInstallation(world, channel.teamId);
    if (!installation || !channel.memberIds.includes(installation.botUserId)) return undefined;
    return this.#send(channel.teamId, name, event, channel);
  }

  /** Sends an event about a conversation, even if the app isn't in it. */
  anywhere(channelId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    const channel = channelOf(this.#deps.world, channelId);
    return this.#send(channel.teamId, name, event, channel);
  }

  /** Sends an event that isn't about a conversation. */
  inTeam(teamId: string, name: string, event: JsonObject): Promise<Answer> | undefined {
    return this.#send(teamId, name, event);
  }

  /**
   * Sends a `message` event. Apps subscribe to these events by kind of conversation: `message.channels`, `message.im`,
   * …
   */
  message(channelId: string, event: JsonObject): Promise<Answer> | undefined {
    const channel = channelOf(this.#deps.world, channelId);
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
    const { world, manifest, deliveries } = this.#deps;
    if (!manifest.settings.event_subscriptions.bot_events.includes(name)) return undefined;
    const installation = world.installations.findLast((each) => each.teamId === teamId);
    const scope = scopeOfEvent(name, channel);
    if (!installation || (scope && !installation.scopes.includes(scope))) return undefined;
    const where = channel ? { channelId: channel.id, isShared: channel.isShared } : {};
    const payload = eventCallback(world, installation, event, where);
    return deliveries.sendEvent({ kind: 'events_api', payload });
  }
}

/**
 * Scopes that events require, by event name. `scopeOfEvent` adds the scopes for messages and for members of
 * conversations.
 */
const scopes: Readonly<Record<string, string>> = {
  agent_session_stopped: 'chat:write',
  app_context_changed: 'assistant:write',
  app_mention: 'app_mentions:read',
  channel_deleted: 'channels:read',
  channel_left: 'channels:read',
  channel_rename: 'channels:read',
  group_deleted: 'groups:read',
  group_left: 'groups:read',
  group_rename: 'groups:read',
  link_shared: 'links:read',
  reaction_added: 'reactions:read',
  reaction_removed: 'reactions:read',
  subteam_members_changed: 'usergroups:read',
  subteam_self_added: 'usergroups:read',
  subteam_self_removed: 'usergroups:read',
  subteam_updated: 'usergroups:read',
};

/**
 * Returns the scope that an event requires, or undefined if it requires none: https://docs.slack.dev/reference/events
 */
function scopeOfEvent(name: string, channel: Channel | undefined): string | undefined {
  if (name.startsWith('message.')) return `${name.slice('message.'.length)}:history`;
  const isOfMember = name.startsWith('member_') && channel !== undefined;
  return isOfMember ? `${scopeFamily(channel)}:read` : scopes[name];
}
