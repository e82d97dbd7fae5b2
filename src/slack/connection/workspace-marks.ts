/**
 * Views and messages of the app carry their workspace, and clicks in them bring it back. In an organization, Slack itself
 * names the same workspace wherever a person is. See docs/decisions/021-deliveries-and-clicks-prove-their-workspace.md.
 */
import { fingerprint } from 'base/fingerprint';
import { parseJson } from 'base/parse-json';
import { type Fields, fieldsOf, isRecord, textOf } from './deliveries/delivery-address.ts';

/**
 * Adds the workspace to a view or a message, so that clicks bring it back.
 * @param shown arguments of a call, or an answer to a delivery
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
 * Adds the workspace to a block's ID, which a click brings back even from a message that only one person sees. Changed
 * content gets another ID, as Slack recommends.
 */
function markBlock(block: unknown, { teamId, index }: { teamId: string; index: number }): unknown {
  if (!isRecord(block) || !JSON.stringify(block).includes('"action_id"')) return block;
  const blockId = textOf(block['block_id']);
  if (workspaceIn(blockId)) return block;
  return { ...block, block_id: `${teamId}-${blockId ?? `${index}-${fingerprint(block)}`}` };
}

/** Returns the workspace that a view or a message is marked with. The delivery is for that one or for none. */
export function markedWorkspace({ actions, block_id: searched, view }: Fields): string | undefined {
  const inBlock = workspaceIn(textOf(fieldsOf(firstOf(actions))['block_id'] ?? searched));
  const metadata = parseJson(textOf(fieldsOf(view)['private_metadata']) ?? '');
  return inBlock ?? textOf(fieldsOf(metadata)['team']);
}

/**
 * Returns the workspace of the run that was clicked. Needed for details of work objects and for messages of older
 * versions.
 */
export function workspaceOfRun({ actions }: Fields): string | undefined {
  const { value, selected_option: picked } = fieldsOf(firstOf(actions));
  return workspaceIn(textOf(value ?? fieldsOf(picked)['value']));
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/** Reads the workspace at the start of a request's or a marked block's ID. In a menu, a verb comes first. */
const workspaceIn = (text: string | undefined): string | undefined =>
  /^(?:[a-z]+:)?(T[A-Z0-9]+)-/.exec(text ?? '')?.[1];
