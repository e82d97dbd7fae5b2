import { validateView } from '../block-kit/validate-view.ts';
import type { Clock } from '../lib/ids.ts';
import { compact, isObject, type JsonObject, objectsIn } from '../lib/json.ts';
import { hasValue, toOption, toValue, valuesOf } from '../view-values.ts';
import { type Element, elementsIn } from '../world/view-elements.ts';
import type { Views } from '../world/views.ts';
import type { Message, Person, View } from '../world/world.ts';
import type { Interactions } from './interactions.ts';
import type { ElementId, Outcome } from './outcome.ts';

type ElementDeps = {
  clock: Clock;
  views: Views;
  interactions: Interactions;
  messageInputs: MessageInputs;
};

/** Message or view in which a person acts, in its current state. */
export type Shown = { view: View } | { message: Message };

/** Clicks a button, or selects `value` in a select, checkbox, overflow or date picker. */
export async function clickElement(
  { clock, views, interactions, messageInputs }: ElementDeps,
  person: Person,
  { shown, id, value }: { shown: Shown; id: ElementId; value: unknown },
): Promise<Outcome> {
  const found = elementOf(shown, id);
  const action = clickedAction(found, value, clock.nextTs());
  if ('view' in shown) {
    storeValue(views, shown.view, found, value);
    return await interactions.clickInView(person, shown.view, action);
  }
  const { message } = shown;
  const blocks = blocksOf(message);
  const values = messageInputs.note(person.id, message, { found, value, blocks });
  return await interactions.clickInMessage(person, message, { action, values });
}

/** Stores an entered value without sending it. */
export function storeValue(views: Views, view: View, found: Element, value: unknown): void {
  if (!hasValue(found.element) || value === undefined) return;
  const { blockId, actionId, element } = found;
  views.setValue(view, blockId, actionId, toValue(element, value));
}

/** Types into an external select. Returns the app's `{options}` or `{option_groups}`. */
export async function searchOptions(
  { interactions }: ElementDeps,
  person: Person,
  { shown, id, query }: { shown: Shown; id: ElementId; query: string },
): Promise<JsonObject> {
  const { blockId, actionId, element } = elementOf(shown, id);
  const least = typeof element['min_query_length'] === 'number' ? element['min_query_length'] : 3;
  if ([...query].length < least) return { options: [] };
  const answer = await interactions.search(person, { blockId, actionId, query }, shown);
  const offered = answer.acked && isObject(answer.body) ? answer.body : {};
  const problems = answer.acked ? checkOffer(offered) : [answer.error];
  if (problems.length === 0) return offered;
  throw new Error(`can't load the options of ${actionId}: ${problems.join('; ')}`);
}

export function elementOf(shown: Shown, id: ElementId): Element {
  const all = elementsIn('view' in shown ? shown.view.content['blocks'] : blocksOf(shown.message));
  const found =
    typeof id === 'string'
      ? (all.find(({ actionId }) => actionId === id) ?? all.find(({ blockId }) => blockId === id))
      : all.find(({ blockId, actionId }) => blockId === id.blockId && actionId === id.actionId);
  if (found) return found;
  const ids = all.map(({ blockId, actionId }) => `${blockId}/${actionId}`).join(', ');
  throw new Error(`there is no element ${JSON.stringify(id)}, only: ${ids || 'none'}`);
}

function blocksOf(message: Message): JsonObject[] {
  const attached = (message.attachments ?? []).flatMap((each) => objectsIn(each['blocks']));
  return [...(message.blocks ?? []), ...attached];
}

/** Returns the entry for a click in the payload's field `actions`. */
function clickedAction(
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
  const input = element['value'];
  const rest = { url, style, icon, type, action_ts: actionTs };
  return compact({ confirm, ...common, text, value: input, ...rest });
}

/**
 * Returns the feedback button with this value. The button may already be chosen, because Slack sends the app a second
 * click as well.
 */
function feedbackButton(element: JsonObject, input: unknown): JsonObject {
  const value = isObject(input) ? input['value'] : input;
  const buttons = [element['positive_button'], element['negative_button']].filter(isObject);
  const found = buttons.find((button) => button['value'] === value);
  if (found) return found;
  const offered = buttons.map((button) => String(button['value'])).join(', ');
  throw new Error(
    `${String(element['action_id'])} has no button "${String(value)}", only: ${offered}`,
  );
}

/** Returns all options in the app's answer to a search, including those in groups. */
export function flatOptions(answer: JsonObject): JsonObject[] {
  const groups = objectsIn(answer['option_groups']).flatMap((each) => objectsIn(each['options']));
  return [...objectsIn(answer['options']), ...groups];
}

/**
 * Returns the problems of the options that an app offers for an external select. The rules are those of static selects,
 * except that the list can be empty. Slack's client shows no options if there is a problem.
 */
export function checkOffer({ options, option_groups: groups }: JsonObject): string[] {
  if (options === undefined && groups === undefined) return ['neither options nor option_groups'];
  const isEmpty = [options, groups].every((list) => list === undefined || isEmptyList(list));
  if (isEmpty) return [];
  const element = {
    type: 'static_select',
    action_id: 'search',
    ...(options !== undefined && { options }),
    ...(groups !== undefined && { option_groups: groups }),
  };
  const title = { type: 'plain_text', text: 'x' };
  const blocks = [{ type: 'actions', elements: [element] }];
  return validateView({ type: 'modal', title, blocks })
    .slice(1)
    .map(({ message }) => message.replace('/view/blocks/0/elements/0', ''));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

type Values = View['values'];

/** Creates the store for each person's choices in the selects of messages. Choices aren't saved across starts. */
export function createMessageInputs() {
  const picked = new Map<string, Values>();
  const keyOf = (userId: string, { channelId, ts }: Message) => `${userId} ${channelId} ${ts}`;
  return {
    /** Stores a choice if the element has a value. Returns the values for the payload's field `state.values`. */
    note(
      userId: string,
      message: Message,
      { found, value, blocks }: { found: Element; value: unknown; blocks: JsonObject[] },
    ): Values {
      const key = keyOf(userId, message);
      const values = valuesOf(blocks, picked.get(key));
      const { blockId, actionId, element } = found;
      if (hasValue(element) && value !== undefined) {
        values[blockId] = { ...values[blockId], [actionId]: toValue(element, value) };
      }
      picked.set(key, values);
      return values;
    },
  };
}
export type MessageInputs = ReturnType<typeof createMessageInputs>;
