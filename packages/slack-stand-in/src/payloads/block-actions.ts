import { compact, type JsonObject, objectsIn } from '../lib/json.ts';
import { channelOf, namedThread } from '../world/directory.ts';
import type { Message, View, World } from '../world/world.ts';
import { channelPart, interactionBase } from './interaction.ts';
import { messagePayload } from './message.ts';
import { viewPayload } from './view.ts';

type Click = { userId: string; triggerId: string; action: JsonObject };

/**
 * Creates the payload for a click in a message. Slack leaves out the content of an ephemeral message. For a click in a
 * link preview (`chat.unfurl`), Slack sends only the preview, because the message isn't the app's.
 */
export function blockActionsInMessage(
  world: World,
  { userId, triggerId, action }: Click,
  message: Message,
  { responseUrl, values }: { responseUrl: string; values: JsonObject },
): JsonObject {
  const attachment = attachmentWith(message, action['block_id']);
  const isUnfurl = attachment?.['is_app_unfurl'] === true;
  const isShown = !message.visibleTo && !isUnfurl;
  return compact({
    type: 'block_actions',
    ...interactionBase(world, userId, channelOf(world, message.channelId).teamId),
    container: attachment
      ? attachmentContainer(world, message, attachment)
      : messageContainer(world, message),
    trigger_id: triggerId,
    channel: channelPart(world, message.channelId),
    message: isShown ? messagePayload(world, message) : undefined,
    app_unfurl: isUnfurl ? attachment : undefined,
    state: { values },
    response_url: responseUrl,
    actions: [action],
  });
}

function attachmentWith(message: Message, blockId: unknown): JsonObject | undefined {
  const has = ({ blocks }: JsonObject) =>
    objectsIn(blocks).some((block) => block['block_id'] === blockId);
  return message.blocks?.some((block) => block['block_id'] === blockId)
    ? undefined
    : message.attachments?.find(has);
}

function attachmentContainer(world: World, message: Message, attachment: JsonObject): JsonObject {
  const { id, is_app_unfurl: isUnfurl = false, app_unfurl_url: url } = attachment;
  return compact({
    ...messageContainer(world, message),
    type: 'message_attachment',
    attachment_id: id,
    is_app_unfurl: isUnfurl,
    app_unfurl_url: url,
  });
}

/** Creates the payload for a click in a modal or in the Home tab. */
export function blockActionsInView(
  world: World,
  { userId, triggerId, action }: Click,
  view: View,
): JsonObject {
  return {
    type: 'block_actions',
    ...interactionBase(world, userId, view.teamId),
    container: { type: 'view', view_id: view.id },
    trigger_id: triggerId,
    view: viewPayload(world, view),
    actions: [action],
  };
}

function messageContainer(world: World, message: Message): JsonObject {
  return compact({
    type: 'message',
    message_ts: message.ts,
    channel_id: message.channelId,
    is_ephemeral: message.visibleTo !== undefined,
    thread_ts: namedThread(world, message),
  });
}

type Search = { userId: string; blockId: string; actionId: string; query: string };

/** Creates the request for options that Slack sends while a person types into an external select. */
export function blockSuggestion(
  world: World,
  { userId, blockId, actionId, query }: Search,
  place: { view: View } | { message: Message },
): JsonObject {
  const teamId =
    'view' in place ? place.view.teamId : channelOf(world, place.message.channelId).teamId;
  const base = {
    type: 'block_suggestion',
    ...interactionBase(world, userId, teamId),
    action_id: actionId,
    block_id: blockId,
    value: query,
  };
  if ('view' in place) {
    const container = { type: 'view', view_id: place.view.id };
    return { ...base, container, view: viewPayload(world, place.view) };
  }
  const channel = channelPart(world, place.message.channelId);
  return { ...base, container: messageContainer(world, place.message), channel };
}
