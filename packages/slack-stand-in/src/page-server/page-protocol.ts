import { z } from 'zod';
import type { PageEntry } from './page-entry.ts';

/**
 * Schemas and types of messages between the page and its server. The browser imports only types from here, because zod
 * would enlarge its bundle. Only the server checks incoming messages.
 */

const id = z.string().min(1).max(255);
const blockText = z.string().max(3_000);

/** Schema of an option, which can be part of an element's value. Values have the format of Slack's `state.values`. */
const option = z.looseObject({
  text: z.looseObject({ type: z.string(), text: z.string() }),
  value: z.string(),
});
const elementValueSchema = z.strictObject({
  type: id,
  value: blockText.nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).max(100).optional(),
  selected_date: z.string().nullish(),
  selected_time: z.string().nullish(),
  selected_date_time: z.number().nullish(),
  selected_user: id.nullish(),
  selected_users: z.array(id).optional(),
  selected_conversation: id.nullish(),
  selected_conversations: z.array(id).optional(),
  selected_channel: id.nullish(),
  selected_channels: z.array(id).optional(),
  rich_text_value: z.unknown().optional(),
});
export type ElementValue = z.infer<typeof elementValueSchema>;

/**
 * Schema of the values that the person changed, by block ID and action ID. The workspace adds the initial values of
 * other elements.
 */
const touchedSchema = z.record(id, z.record(id, elementValueSchema));
export type Touched = z.infer<typeof touchedSchema>;

/** Schema of the message or view (modal or Home tab) that contains the blocks. */
const surfaceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('message'), channel: id, ts: id }),
  z.strictObject({ kind: z.literal('view'), viewId: id }),
]);
export type Surface = z.infer<typeof surfaceSchema>;

const onElement = { surface: surfaceSchema, blockId: id, actionId: id, touched: touchedSchema };
const onMessage = { channel: id, ts: id };

/** Schema of the actions that a person can take on the page. */
const pageActionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('send'),
    channel: id,
    text: z.string().max(40_000),
    threadTs: id.optional(),
    inView: id.optional(),
  }),
  z.strictObject({ type: z.literal('messageShortcut'), ...onMessage, callbackId: id }),
  z.strictObject({ type: z.literal('globalShortcut'), callbackId: id, channel: id }),
  z.strictObject({ type: z.literal('act'), ...onElement, value: elementValueSchema.optional() }),
  z.strictObject({ type: z.literal('search'), ...onElement, query: z.string().max(255) }),
  z.strictObject({ type: z.literal('submit'), viewId: id, touched: touchedSchema }),
  z.strictObject({ type: z.literal('close'), viewId: id, everything: z.boolean() }),
  z.strictObject({ type: z.literal('join'), channel: id }),
  z.strictObject({ type: z.literal('openDirect'), person: id }),
  z.strictObject({
    type: z.literal('openApp'),
    tab: z.enum(['home', 'messages']),
    inView: id.optional(),
  }),
  z.strictObject({ type: z.literal('react'), ...onMessage, name: id, on: z.boolean() }),
  z.strictObject({ type: z.literal('edit'), ...onMessage, text: z.string().min(1).max(40_000) }),
  z.strictObject({ type: z.literal('deleteMessage'), ...onMessage }),
  z.strictObject({ type: z.literal('openEntity'), ...onMessage, entity: id }),
  z.strictObject({ type: z.literal('refreshEntity') }),
  z.strictObject({ type: z.literal('closeEntity') }),
  z.strictObject({ type: z.literal('actOnEntity'), actionId: id }),
  z.strictObject({ type: z.literal('stopSession'), channel: id, threadTs: id }),
  z.strictObject({ type: z.literal('setAppInChannel'), channel: id, on: z.boolean() }),
]);
export type PageAction = z.infer<typeof pageActionSchema>;
export const pageRequestSchema = z.strictObject({ person: id, action: pageActionSchema });

/**
 * A group of options of an external select. If the app sends no groups, all options are in one group without a label.
 */
export type OptionGroup = { label?: string; options: Option[] };
export type Option = z.infer<typeof option>;

/** Result of an action. `error` is a sentence for the person. `fieldErrors` contains sentences by block ID. */
export type PageAnswer =
  | { ok: true; fieldErrors?: Record<string, string>; groups?: OptionGroup[]; channel?: string }
  | { ok: false; error: string };

/** Schema of the first frame of a connection. The browser sends no other frames. */
export const feedHelloSchema = z.strictObject({ token: z.string(), person: id });
export type FeedHello = z.infer<typeof feedHelloSchema>;

/** Frame that the server sends. The first one contains all entries, later ones only changes. */
export type FeedFrame = {
  type: 'snapshot' | 'changes';
  set: [key: string, entry: PageEntry][];
  removed: string[];
};
