import { validateView } from '../block-kit/validate-view.ts';
import { type JsonObject, objectsIn } from '../lib/json.ts';

/** All options of an answer to a search, including those in groups. */
export function flatOptions(answer: JsonObject): JsonObject[] {
  const groups = objectsIn(answer['option_groups']).flatMap((each) => objectsIn(each['options']));
  return [...objectsIn(answer['options']), ...groups];
}

/**
 * Problems of the options that an app offers for an external select. The rules are those of static selects, but an empty
 * list is fine. With a problem, Slack's client shows no options at all.
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
