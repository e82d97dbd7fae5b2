import { isObject, type JsonObject, objectsIn } from '../lib/json.ts';
import { isEmptyValue } from '../view-values.ts';
import { elementsIn } from '../world/view-elements.ts';
import type { Views } from '../world/views.ts';
import type { View } from '../world/world.ts';
import { checkField } from './field-checks.ts';
import type { Picked } from './interactions.ts';

export type FieldErrors = Record<string, string>;

/** Errors that Slack's client shows without asking the app, by block id. */
export function clientErrors(view: View): FieldErrors {
  const errors: FieldErrors = {};
  for (const { blockId, actionId, element, block } of elementsIn(view.content['blocks'])) {
    if (block['type'] !== 'input') continue;
    const value = view.values[blockId]?.[actionId];
    const isEmpty = value === undefined || isEmptyValue(value);
    if (isEmpty && block['optional'] === true) continue;
    const problem = isEmpty ? 'Please complete this required field.' : checkField(element, value);
    if (problem) errors[blockId] = problem;
  }
  return errors;
}

/** Channels picked with `response_url_enabled`. */
export function pickedForResponse(view: View): Picked[] {
  return elementsIn(view.content['blocks']).flatMap(({ blockId, actionId, element }) => {
    if (element['response_url_enabled'] !== true) return [];
    const value = view.values[blockId]?.[actionId];
    const channelId = value?.['selected_channel'] ?? value?.['selected_conversation'];
    return typeof channelId === 'string' ? [{ blockId, actionId, channelId }] : [];
  });
}

/** Carries out the app's answer to a submission. An empty answer closes this modal, but not those below. */
export function applyResponse(
  views: Views,
  view: View,
  body: unknown,
  check: (view: JsonObject) => string[],
): { errors?: FieldErrors; problem?: string } {
  const answer = isObject(body) ? body : {};
  const next = isObject(answer['view']) ? answer['view'] : undefined;
  switch (answer['response_action']) {
    case undefined:
      views.close(view.userId);
      return {};
    case 'clear':
      views.close(view.userId, { all: true });
      return {};
    case 'errors':
      return readErrors(view, answer['errors']);
    case 'update':
    case 'push': {
      const problems = next ? check(next) : ['no view'];
      if (!next || problems.length > 0) return { problem: problems.join('; ') };
      const isUpdate = answer['response_action'] === 'update';
      const shown = isUpdate ? views.update(view, next) : views.push(view, next);
      return typeof shown === 'string' ? { problem: shown } : {};
    }
    default:
      return { problem: `unknown response_action ${String(answer['response_action'])}` };
  }
}

/** Slack shows no error at all if one names a block that isn't an input. */
function readErrors(view: View, given: unknown): { errors?: FieldErrors; problem?: string } {
  if (!isObject(given) || Object.keys(given).length === 0) return { problem: 'errors is empty' };
  const inputs = objectsIn(view.content['blocks']).filter(({ type }) => type === 'input');
  const known = new Set(inputs.map((block) => block['block_id']));
  const unknown = Object.keys(given).filter((id) => !known.has(id));
  if (unknown.length > 0) return { problem: `errors for blocks that aren't inputs: ${unknown}` };
  return {
    errors: Object.fromEntries(Object.entries(given).map(([id, text]) => [id, String(text)])),
  };
}
