import { z } from 'zod';
import { listOf } from '../fields.ts';
import { phrases } from '../phrases.ts';
import { blockOf, type Surface } from '../surfaces.ts';
import { type Finding, findFaults } from './findings.ts';

type BlockRules = {
  surface: Surface;
  least?: number;
  most: number;
  base: readonly PropertyKey[];
};

/**
 * Finds blocks that are invalid or that the surface doesn't allow. Also finds lists with fewer than `least` or more
 * than `most` blocks.
 */
export function findBlockFaults(
  blocks: unknown,
  { surface, least = 0, most, base }: BlockRules,
): Finding[] {
  return findFaults(listOf(blockOf[surface], { min_items: least, max_items: most }), blocks, base);
}

/** Finds repeated `block_id` and `action_id` values in valid blocks. */
export function findNameFaults(
  blocks: readonly unknown[],
  { base, blockIds = true }: { base: readonly PropertyKey[]; blockIds?: boolean },
): Finding[] {
  return [
    ...(blockIds ? findRepeatedBlockIds(blocks, base) : []),
    ...findRepeatedActionIds(blocks, base),
  ];
}

const element = z.looseObject({ action_id: z.string().optional() });

/** Schema of the fields that contain IDs. It fits any block, because the block's own schema has already accepted it. */
const outline = z.looseObject({
  block_id: z.string().optional(),
  element: element.optional(),
  accessory: element.optional(),
  elements: z.array(z.unknown()).optional(),
  actions: z.array(element).optional(),
  child_blocks: z.array(z.unknown()).optional(),
});

type Path = readonly PropertyKey[];
type Named = { name: string; path: Path };

/** Finds repeated `block_id` values in the whole list, including nested blocks. */
function findRepeatedBlockIds(blocks: readonly unknown[], base: Path): Finding[] {
  return findRepeated('block_id', listBlockIds(blocks, base));
}

/** Finds repeated `action_id` values within each block. */
export function findRepeatedActionIds(blocks: readonly unknown[], base: Path): Finding[] {
  return blocks.flatMap((block, index) => {
    const path = [...base, index];
    const { data } = outline.safeParse(block);
    const inner = data?.child_blocks ?? cardsOf(data);
    if (inner)
      return findRepeatedActionIds(inner, [
        ...path,
        data?.child_blocks ? 'child_blocks' : 'elements',
      ]);
    return data ? findRepeated('action_id', listActionIds(data, path)) : [];
  });
}

function listBlockIds(blocks: readonly unknown[], base: Path): Named[] {
  return blocks.flatMap((block, index) => {
    const path = [...base, index];
    const { data } = outline.safeParse(block);
    if (!data) return [];
    const own =
      data.block_id === undefined ? [] : [{ name: data.block_id, path: [...path, 'block_id'] }];
    return [
      ...own,
      ...listBlockIds(data.child_blocks ?? [], [...path, 'child_blocks']),
      ...listBlockIds(cardsOf(data) ?? [], [...path, 'elements']),
    ];
  });
}

type Outline = z.infer<typeof outline>;

const cardsOf = (block: Outline | undefined) =>
  block?.['type'] === 'carousel' ? block.elements : undefined;

function listActionIds(block: Outline, path: Path): Named[] {
  const places: [unknown, Path][] = [
    ...(block.elements ?? []).map((each, index): [unknown, Path] => [each, ['elements', index]]),
    ...(block.actions ?? []).map((each, index): [unknown, Path] => [each, ['actions', index]]),
    [block.element, ['element']],
    [block.accessory, ['accessory']],
  ];
  return places.flatMap(([value, place]) => {
    const { data } = element.safeParse(value);
    const name = data?.action_id;
    return name === undefined ? [] : [{ name, path: [...path, ...place, 'action_id'] }];
  });
}

function findRepeated(field: string, names: readonly Named[]): Finding[] {
  const seen = new Set<string>();
  return names.flatMap(({ name, path }) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ phrase: phrases.taken(field, name), path }];
  });
}
