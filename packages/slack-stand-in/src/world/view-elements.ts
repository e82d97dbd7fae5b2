import { newBlockId } from '../lib/ids.ts';
import { type JsonObject, objectsIn, textIn } from '../lib/json.ts';

export type Element = { blockId: string; actionId: string; element: JsonObject; block: JsonObject };

/** Returns the interactive elements of blocks, in reading order. */
export function elementsIn(blocks: unknown): Element[] {
  return objectsIn(blocks).flatMap((block) => {
    const inside = [block['element'], block['accessory'], block['elements']].flatMap(objectsIn);
    const blockId = textIn(block, 'block_id') ?? '';
    return inside.flatMap((element) => {
      const actionId = textIn(element, 'action_id');
      return actionId === undefined ? [] : [{ blockId, actionId, element, block }];
    });
  });
}

/** Adds missing `block_id`s and `action_id`s, as Slack does. */
export function withIds(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.map((block) => {
    const copy = structuredClone(block);
    if (!textIn(copy, 'block_id')) copy['block_id'] = newBlockId();
    const interactive = ['element', 'accessory', 'elements'].flatMap((key) => objectsIn(copy[key]));
    for (const element of interactive) {
      if (isInteractive(element) && !textIn(element, 'action_id')) {
        element['action_id'] = newBlockId();
      }
    }
    return copy;
  });
}

/** Returns true for elements that people can use. The `elements` of rich text and context blocks are only content. */
function isInteractive(element: JsonObject): boolean {
  const passive = /^(rich_text_|mrkdwn|plain_text$|image$)/;
  return !passive.test(textIn(element, 'type') ?? '');
}
