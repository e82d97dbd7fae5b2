import { newBlockId } from './ids.ts';
import { type JsonObject, objectsIn, textIn } from './json.ts';

export type Element = { blockId: string; actionId: string; element: JsonObject; block: JsonObject };

/** The interactive elements of blocks, wherever they stand in them, in reading order. */
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

/** Blocks with a `block_id` and an `action_id` everywhere: Slack makes up those that are missing. */
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

/** Rich text and context have `elements`, too, but nothing in them can be clicked. */
function isInteractive(element: JsonObject): boolean {
  const passive = /^(rich_text_|mrkdwn|plain_text$|image$)/;
  return !passive.test(textIn(element, 'type') ?? '');
}
