import { listOf } from '../fields.ts';
import { blockOf, type Surface } from '../surfaces.ts';
import { type Finding, findFaults } from './findings.ts';
import { findRepeatedActionIds, findRepeatedBlockIds } from './uniqueness.ts';

type BlockRules = {
  surface: Surface;
  least?: number;
  most: number;
  base: readonly PropertyKey[];
};

/** `least..most` valid blocks of one surface. */
export function findBlockFaults(
  blocks: unknown,
  { surface, least = 0, most, base }: BlockRules,
): Finding[] {
  return findFaults(listOf(blockOf[surface], { min_items: least, max_items: most }), blocks, base);
}

/** The ids in valid blocks. */
export function findNameFaults(
  blocks: readonly unknown[],
  { base, blockIds = true }: { base: readonly PropertyKey[]; blockIds?: boolean },
): Finding[] {
  return [
    ...(blockIds ? findRepeatedBlockIds(blocks, base) : []),
    ...findRepeatedActionIds(blocks, base),
  ];
}
