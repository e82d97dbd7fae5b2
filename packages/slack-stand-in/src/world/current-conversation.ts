import { isObject, type JsonObject, objectsIn } from '../lib/json.ts';
import type { Channel } from './world.ts';

const initials: Record<string, (channelId: string) => JsonObject> = {
  conversations_select: (id) => ({ initial_conversation: id }),
  multi_conversations_select: (id) => ({ initial_conversations: [id] }),
};

/**
 * The blocks of a view that was opened from this conversation: pickers with `default_to_current_conversation` hold it,
 * unless the app set another or their filter excludes it.
 * https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#conversations_select
 */
export function atConversation(blocks: unknown, current: Channel | undefined): JsonObject[] {
  return current ? objectsIn(blocks).map((block) => fillObject(block, current)) : objectsIn(blocks);
}

function fillObject(object: JsonObject, current: Channel): JsonObject {
  const entries = Object.entries(object).map(([key, value]) => [key, fill(value, current)]);
  const initial = initials[String(object['type'])];
  const isWanted = object['default_to_current_conversation'] === true;
  const held = initial && isWanted && isOffered(object['filter'], current) && initial(current.id);
  // What the app set takes precedence.
  return { ...held, ...Object.fromEntries(entries) };
}

function fill(value: unknown, current: Channel): unknown {
  if (Array.isArray(value)) return value.map((each) => fill(each, current));
  return isObject(value) ? fillObject(value, current) : value;
}

function isOffered(filter: unknown, { kind, isShared }: Channel): boolean {
  if (!isObject(filter)) return true;
  const { include } = filter;
  const isIncluded = !Array.isArray(include) || include.includes(kind);
  return isIncluded && !(isShared && filter['exclude_external_shared_channels'] === true);
}
