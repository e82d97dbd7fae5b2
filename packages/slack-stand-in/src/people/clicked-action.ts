import { compact, type JsonObject } from '../json.ts';
import type { Element } from '../view-elements.ts';
import { hasValue, toOption, toValue } from '../view-values.ts';

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
  if (hasValue(element)) {
    const picked = { type, ...common, ...toValue(element, value ?? null) };
    return compact({ ...picked, placeholder: element['placeholder'], action_ts: actionTs });
  }
  const { text, style, confirm, url } = element;
  const given = element['value'];
  return compact({ confirm, ...common, text, value: given, url, style, type, action_ts: actionTs });
}
