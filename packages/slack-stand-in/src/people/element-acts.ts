import type { Clock } from '../lib/ids.ts';
import { isObject, type JsonObject, objectsIn } from '../lib/json.ts';
import { hasValue, toValue } from '../view-values.ts';
import { type Element, elementsIn } from '../world/view-elements.ts';
import type { Views } from '../world/views.ts';
import type { Message, Person, View } from '../world/world.ts';
import { clickedAction } from './clicked-action.ts';
import type { Interactions } from './interactions.ts';
import type { MessageInputs } from './message-inputs.ts';
import { checkOffer } from './offered-options.ts';
import type { ElementId, Outcome } from './outcome.ts';

type Parts = {
  clock: Clock;
  views: Views;
  interactions: Interactions;
  messageInputs: MessageInputs;
};

/** A place with its message or view. */
export type Shown = { view: View } | { message: Message };

/** Clicks a button, or picks `value` in a select, checkbox, overflow or date picker. */
export async function clickElement(
  { clock, views, interactions, messageInputs }: Parts,
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

/** Stores what a person typed or picked, without sending it. */
export function storeValue(views: Views, view: View, found: Element, value: unknown): void {
  if (!hasValue(found.element) || value === undefined) return;
  const { blockId, actionId, element } = found;
  views.setValue(view, blockId, actionId, toValue(element, value));
}

/** Types into an external select. Returns the app's `{options}` or `{option_groups}`. */
export async function searchOptions(
  { interactions }: Parts,
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
