import { isObject, type JsonObject, objectsIn } from './lib/json.ts';
import { elementsIn } from './world/view-elements.ts';
import type { View } from './world/world.ts';

type Values = View['values'];

/** Value format by element type: the key in `state.values`, the field of the initial value, and the empty value. */
const valueKeys: Record<string, { key: string; initial: string; empty: unknown }> = {
  plain_text_input: { key: 'value', initial: 'initial_value', empty: null },
  email_text_input: { key: 'value', initial: 'initial_value', empty: null },
  url_text_input: { key: 'value', initial: 'initial_value', empty: null },
  number_input: { key: 'value', initial: 'initial_value', empty: null },
  rich_text_input: { key: 'rich_text_value', initial: 'initial_value', empty: null },
  static_select: { key: 'selected_option', initial: 'initial_option', empty: null },
  external_select: { key: 'selected_option', initial: 'initial_option', empty: null },
  radio_buttons: { key: 'selected_option', initial: 'initial_option', empty: null },
  users_select: { key: 'selected_user', initial: 'initial_user', empty: null },
  channels_select: { key: 'selected_channel', initial: 'initial_channel', empty: null },
  conversations_select: {
    key: 'selected_conversation',
    initial: 'initial_conversation',
    empty: null,
  },
  datepicker: { key: 'selected_date', initial: 'initial_date', empty: null },
  timepicker: { key: 'selected_time', initial: 'initial_time', empty: null },
  datetimepicker: { key: 'selected_date_time', initial: 'initial_date_time', empty: null },
  checkboxes: { key: 'selected_options', initial: 'initial_options', empty: [] },
  multi_static_select: { key: 'selected_options', initial: 'initial_options', empty: [] },
  multi_external_select: { key: 'selected_options', initial: 'initial_options', empty: [] },
  multi_users_select: { key: 'selected_users', initial: 'initial_users', empty: [] },
  multi_channels_select: { key: 'selected_channels', initial: 'initial_channels', empty: [] },
  multi_conversations_select: {
    key: 'selected_conversations',
    initial: 'initial_conversations',
    empty: [],
  },
  file_input: { key: 'files', initial: 'initial_files', empty: [] },
};

export function hasValue(element: JsonObject): boolean {
  return String(element['type']) in valueKeys;
}

/**
 * Returns the values of all inputs in blocks. Inputs with the same IDs keep their values from `earlier`; others have
 * their initial values.
 */
export function valuesOf(blocks: unknown, earlier: Values = {}): Values {
  const values: Values = {};
  for (const { blockId, actionId, element } of elementsIn(blocks)) {
    const type = String(element['type']);
    const keys = valueKeys[type];
    if (!keys) continue;
    const kept = earlier[blockId]?.[actionId];
    const initial = element[keys.initial] ?? keys.empty;
    const value = kept?.['type'] === type ? kept : { type, [keys.key]: initial };
    values[blockId] = { ...values[blockId], [actionId]: value };
  }
  return values;
}

/**
 * Converts a value to Slack's format. Pass text for inputs, an option or its `value` for selects, and IDs for pickers.
 * `null` means empty, and a value in Slack's format stays unchanged. Throws if the element doesn't offer the option.
 */
export function toValue(element: JsonObject, input: unknown): JsonObject {
  const type = String(element['type']);
  const keys = valueKeys[type];
  if (!keys) throw new Error(`an element of type ${type} has no value`);
  if (isObject(input) && input['type'] === type && keys.key in input) return input;
  if (input === null) return { type, [keys.key]: keys.empty };
  if (keys.key === 'selected_options') {
    const list = Array.isArray(input) ? input : [input];
    return { type, selected_options: list.map((each) => toOption(element, each)) };
  }
  if (keys.key === 'selected_option') return { type, selected_option: toOption(element, input) };
  if (Array.isArray(keys.empty))
    return { type, [keys.key]: Array.isArray(input) ? input : [input] };
  const isText = keys.key === 'value';
  return { type, [keys.key]: isText ? String(input) : input };
}

/** Finds an option of a static element by its `value`. For an external element, pass the whole option. */
export function toOption(element: JsonObject, input: unknown): JsonObject {
  const groups = objectsIn(element['option_groups']).flatMap((group) =>
    objectsIn(group['options']),
  );
  const options = [...objectsIn(element['options']), ...groups];
  const value = isObject(input) ? input['value'] : input;
  const found = options.find((option) => option['value'] === value);
  if (found) return found;
  if (isObject(input) && options.length === 0) return input;
  const offered = options.map((option) => String(option['value'])).join(', ') || 'none';
  throw new Error(
    `${String(element['action_id'])} has no option "${String(value)}", only: ${offered}`,
  );
}

/** Returns true for an empty value, which can't be submitted in a required input. */
export function isEmptyValue(value: JsonObject): boolean {
  const { type: _, ...rest } = value;
  return Object.values(rest).every(
    (each) => each === null || each === '' || (Array.isArray(each) && each.length === 0),
  );
}
