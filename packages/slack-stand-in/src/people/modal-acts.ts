import { isObject, type JsonObject, objectsIn } from '../lib/json.ts';
import { isEmptyValue } from '../view-values.ts';
import { elementsIn } from '../world/view-elements.ts';
import type { Views } from '../world/views.ts';
import type { Person, View } from '../world/world.ts';
import type { Interactions, Picked } from './interactions.ts';

type ModalDeps = {
  views: Views;
  interactions: Interactions;
  /** Returns the problems of a view that the app sent with an acknowledgment. */
  checkView(view: JsonObject): string[];
};

export type Submitted = { errors?: FieldErrors; error?: string };

/** Submits a modal to the app if its inputs pass the checks of Slack's client. Then carries out the app's answer. */
export async function submitModal(
  { views, interactions, checkView }: ModalDeps,
  person: Person,
  view: View,
): Promise<Submitted> {
  const errors = clientErrors(view);
  if (Object.keys(errors).length > 0) return { errors };
  const answer = await interactions.submit(person, view, pickedForResponse(view));
  if (!answer.acked) return { error: answer.error };
  const { problem, ...result } = applyResponse(views, view, answer.body, checkView);
  return problem === undefined ? result : { error: problem };
}

/** Closes the top modal or the whole stack. Notifies the app of each closed modal with `notify_on_close`. */
export async function closeModal(
  { views, interactions }: ModalDeps,
  person: Person,
  view: View,
  { all }: { all: boolean },
): Promise<void> {
  const isAll = all || view.content['clear_on_close'] === true;
  const closed = views.close(person.id, { all: isAll });
  const notified = closed.filter(({ content }) => content['notify_on_close'] === true);
  await Promise.all(notified.map((each) => interactions.closed(each, isAll)));
}

type FieldErrors = Record<string, string>;

/** Returns the errors that Slack's client shows without asking the app, by block ID. */
function clientErrors(view: View): FieldErrors {
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

/** Returns the channels selected in pickers with `response_url_enabled`. */
function pickedForResponse(view: View): Picked[] {
  return elementsIn(view.content['blocks']).flatMap(({ blockId, actionId, element }) => {
    if (element['response_url_enabled'] !== true) return [];
    const value = view.values[blockId]?.[actionId];
    const channelId = value?.['selected_channel'] ?? value?.['selected_conversation'];
    return typeof channelId === 'string' ? [{ blockId, actionId, channelId }] : [];
  });
}

/** Carries out the app's answer to a submission. An empty answer closes this modal, but not the modals below it. */
function applyResponse(
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

/** Reads the app's errors. Slack shows none of them if one names a block that isn't an input. */
function readErrors(view: View, input: unknown): { errors?: FieldErrors; problem?: string } {
  if (!isObject(input) || Object.keys(input).length === 0) return { problem: 'errors is empty' };
  const inputs = objectsIn(view.content['blocks']).filter(({ type }) => type === 'input');
  const inputIds = new Set(inputs.map((block) => block['block_id']));
  const unknown = Object.keys(input).filter((id) => !inputIds.has(id));
  if (unknown.length > 0) return { problem: `errors for blocks that aren't inputs: ${unknown}` };
  return {
    errors: Object.fromEntries(Object.entries(input).map(([id, text]) => [id, String(text)])),
  };
}

/** Returns the error that Slack's client shows for a filled field; undefined if the value is valid. */
export function checkField(element: JsonObject, value: JsonObject): string | undefined {
  const text = String(value['value'] ?? '');
  switch (element['type']) {
    case 'plain_text_input':
      return checkLength(element, [...text].length);
    case 'number_input':
      return checkNumber(element, text);
    case 'email_text_input':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
        ? undefined
        : 'Enter an email address, such as name@example.com.';
    case 'url_text_input':
      return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
        ? undefined
        : 'Enter a web address that begins with http:// or https://.';
    default:
      return checkCount(element, value);
  }
}

function checkLength(element: JsonObject, length: number): string | undefined {
  const { min_length: least, max_length: most } = element;
  if (typeof least === 'number' && length < least) return `Enter at least ${least} characters.`;
  if (typeof most === 'number' && length > most) return `Enter at most ${most} characters.`;
  return undefined;
}

/** Checks a number against its bounds, which are text in Block Kit. */
function checkNumber(element: JsonObject, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) return 'Enter a number.';
  if (element['is_decimal_allowed'] !== true && !Number.isInteger(number)) {
    return 'Enter a whole number.';
  }
  const { min_value: least, max_value: most } = element;
  if (least !== undefined && number < Number(least)) return `Enter at least ${String(least)}.`;
  if (most !== undefined && number > Number(most)) return `Enter at most ${String(most)}.`;
  return undefined;
}

function checkCount(element: JsonObject, value: JsonObject): string | undefined {
  const most = element['max_selected_items'];
  const picked = Object.values(value).find(Array.isArray);
  const isTooMany = typeof most === 'number' && picked !== undefined && picked.length > most;
  return isTooMany ? `Pick at most ${most}.` : undefined;
}
