import { compact, isObject, type JsonObject } from '../lib/json.ts';
import { hasValue, toOption, toValue } from '../view-values.ts';
import type { Element } from '../world/view-elements.ts';

/** The entry in `actions` for a click. */
export function clickedAction(
  { blockId, actionId, element }: Element,
  value: unknown,
  actionTs: string,
): JsonObject {
  const { type } = element;
  const common = { action_id: actionId, block_id: blockId };
  if (type === 'overflow') {
    const selected = toOption(element, value);
    return { type, ...common, selected_option: selected, action_ts: actionTs };
  }
  if (type === 'feedback_buttons') {
    const { text, value: rated } = feedbackButton(element, value);
    return { type, ...common, text, value: rated, action_ts: actionTs };
  }
  if (hasValue(element)) {
    const picked = { type, ...common, ...toValue(element, value ?? null) };
    return compact({ ...picked, placeholder: element['placeholder'], action_ts: actionTs });
  }
  const { text, style, confirm, url, icon } = element;
  const given = element['value'];
  const rest = { url, style, icon, type, action_ts: actionTs };
  return compact({ confirm, ...common, text, value: given, ...rest });
}

/** The one of two buttons with this value. A person can click it again: Slack sends that too. */
function feedbackButton(element: JsonObject, given: unknown): JsonObject {
  const value = isObject(given) ? given['value'] : given;
  const buttons = [element['positive_button'], element['negative_button']].filter(isObject);
  const found = buttons.find((button) => button['value'] === value);
  if (found) return found;
  const offered = buttons.map((button) => String(button['value'])).join(', ');
  throw new Error(
    `${String(element['action_id'])} has no button "${String(value)}", only: ${offered}`,
  );
}
