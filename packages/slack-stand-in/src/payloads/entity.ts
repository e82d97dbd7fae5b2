import type { OpenedEntity } from '../entities/flexpanes.ts';
import { compact, type JsonObject } from '../lib/json.ts';
import type { World } from '../world/world.ts';
import { interactionBase } from './interaction.ts';

type Request = { userId: string; triggerId: string; eventTs: string };

/** Creates the event that Slack sends after a person opened or refreshed the details of an entity. */
export function entityDetailsRequested(
  { channelId, messageTs, threadTs, url, unfurlUrl, externalRef }: OpenedEntity,
  { userId, triggerId, eventTs }: Request,
): JsonObject {
  return compact({
    type: 'entity_details_requested',
    user: userId,
    external_ref: externalRef,
    entity_url: url,
    link: { url: unfurlUrl, domain: new URL(unfurlUrl).hostname },
    app_unfurl_url: unfurlUrl,
    event_ts: eventTs,
    trigger_id: triggerId,
    user_locale: 'en-US',
    channel: channelId,
    message_ts: messageTs,
    thread_ts: threadTs,
  });
}

type Click = { userId: string; triggerId: string; action: JsonObject };

/**
 * Creates the payload for a click in an entity's details. It has no `response_url`, message or channel, because the
 * documentation shows none.
 */
export function blockActionsInEntity(
  world: World,
  { userId, triggerId, action }: Click,
  entity: OpenedEntity & { teamId: string },
): JsonObject {
  const { channelId, messageTs, threadTs, url, unfurlUrl, externalRef } = entity;
  return {
    type: 'block_actions',
    ...interactionBase(world, userId, entity.teamId),
    container: compact({
      type: 'entity_detail',
      entity_url: url,
      external_ref: externalRef,
      app_unfurl_url: unfurlUrl,
      message_ts: messageTs,
      thread_ts: threadTs,
      channel_id: channelId,
    }),
    trigger_id: triggerId,
    actions: [action],
  };
}
