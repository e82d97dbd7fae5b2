/**
 * Marks the app's views and messages with their workspace, which Slack then sends with each click in them. In an
 * organization, Slack itself names the same workspace wherever a person is. See
 * docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md.
 */
import { fingerprint } from 'base/fingerprint';
import { parseJson } from 'base/parse-json';
import { type Fields, fieldsOf, isRecord, textOf } from './deliveries/delivery-address.ts';

/**
 * Adds the workspace to a view or a message, so that Slack sends it with each click.
 * @param shown arguments of a Web API call, or an answer to a delivery
 */
export function markWorkspace<T>(shown: T, teamId: string): T {
  if (!teamId || !isRecord(shown)) return shown;
  const { view, blocks } = shown;
  return {
    ...shown,
    ...(isRecord(view) && { view: markView(view, teamId) }),
    ...(Array.isArray(blocks) && {
      blocks: blocks.map((block: unknown, index) => markBlock(block, { teamId, index })),
    }),
  };
}

function markView(view: Fields, teamId: string): Fields {
  const metadata = fieldsOf(parseJson(textOf(view['private_metadata']) ?? ''));
  return { ...view, private_metadata: JSON.stringify({ ...metadata, team: teamId }) };
}

/**
 * Adds the workspace to a block's ID. Slack sends this ID with a click, even from a message that only one person sees.
 * Changed content gets another ID, as Slack recommends.
 */
function markBlock(block: unknown, { teamId, index }: { teamId: string; index: number }): unknown {
  if (!isRecord(block) || !JSON.stringify(block).includes('"action_id"')) return block;
  const blockId = textOf(block['block_id']);
  if (workspaceIn(blockId)) return block;
  return { ...block, block_id: `${teamId}-${blockId ?? `${index}-${fingerprint(block)}`}` };
}

/** Returns the workspace that a view or a message is marked with. The delivery can't be for another workspace. */
export function markedWorkspace({ actions, block_id: searched, view }: Fields): string | undefined {
  const inBlock = workspaceIn(textOf(fieldsOf(firstOf(actions))['block_id'] ?? searched));
  const metadata = parseJson(textOf(fieldsOf(view)['private_metadata']) ?? '');
  return inBlock ?? textOf(fieldsOf(metadata)['team']);
}

/**
 * Returns the workspace of the run that was clicked, read from the button's value. Needed for details of work objects
 * and messages of older versions, because they have no mark.
 */
export function workspaceOfRun({ actions }: Fields): string | undefined {
  const { value, selected_option: picked } = fieldsOf(firstOf(actions));
  return workspaceIn(textOf(value ?? fieldsOf(picked)['value']));
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/**
 * Returns the workspace ID at the start of a request ID or a marked block's ID. In a menu's value, a verb precedes it.
 */
const workspaceIn = (text: string | undefined): string | undefined =>
  /^(?:[a-z]+:)?(T[A-Z0-9]+)-/.exec(text ?? '')?.[1];
