import { describe, expect, it } from 'vitest';
import { limits } from '../../src/block-kit/limits.ts';
import { phrases } from '../../src/block-kit/phrases.ts';
import { hasSharedData, readSharedJson, whySkipped } from '../support/shared-data.ts';
import { blockLimitCases } from './block-limit-cases.ts';
import { checkBy } from './limit-case.ts';
import { objectLimitCases } from './object-limit-cases.ts';
import { usageCases } from './usage-cases.ts';

type Case = { id: string; constraint: string; description: string };

const folder = 'slack/block-kit';
const manifest = hasSharedData
  ? (readSharedJson(`${folder}/fixtures/invalid/manifest.json`) as { cases: Case[] }).cases
  : [];
const limitCases = { ...objectLimitCases, ...blockLimitCases };

/**
 * Kinds of limits, by the last word of the constraint. `wrongBy` is the distance from the limit to the first wrong
 * size.
 */
const kinds: Record<string, { wrongBy: number; say: (limit: number) => string }> = {
  max_length: { wrongBy: 1, say: phrases.tooLong },
  item_max_length: { wrongBy: 1, say: phrases.tooLong },
  min_length: { wrongBy: -1, say: phrases.tooShort },
  max_items: { wrongBy: 1, say: phrases.tooMany },
  min_items: { wrongBy: -1, say: phrases.tooFew },
  max: { wrongBy: 1, say: phrases.tooBig },
  min: { wrongBy: -1, say: phrases.tooSmall },
  exclusive_min: { wrongBy: 0, say: phrases.tooSmall },
};

function readLimit(constraint: string): number {
  const value = constraint
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], limits);
  if (typeof value !== 'number') throw new Error(`no limit ${constraint}`);
  return value;
}

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`the shared invalid cases${skipNote}`, () => {
  it('are 106, and each has a payload here', () => {
    expect(manifest).toHaveLength(106);
    const ids = [...Object.keys(limitCases), ...Object.keys(usageCases)];
    expect(ids.sort()).toEqual(manifest.map(({ id }) => id).sort());
  });

  it('cover every shared limit', () => {
    expect(limits).toMatchObject(readSharedJson(`${folder}/limits.json`) as object);
  });

  const sized = manifest.filter(({ id }) => id in limitCases);
  it.each(sized)('$id: $description, and at the limit it is right', ({ id, constraint }) => {
    const { check, at, build } = limitCases[id]!;
    const { wrongBy, say } = kinds[constraint.split('.').at(-1)!]!;
    const limit = readLimit(constraint);
    const right = wrongBy === 0 ? limit + 1 : limit;
    // An emoji is one code point and two UTF-16 units. The Hebrew letter is one of each and written right to left.
    for (const fill of ['x', '😀', 'ש', '&']) {
      expect(check(build(right, fill))).toEqual([]);
      expect(check(build(limit + wrongBy, fill))).toContain(
        `[ERROR] ${say(limit)} [json-pointer:${at}]`,
      );
    }
  });

  const others = manifest.filter(({ id }) => id in usageCases);
  it.each(others)('$id: $description', ({ id }) => {
    const { schema, rejected, message } = usageCases[id]!;
    expect(checkBy(schema)(rejected)).toEqual([message]);
  });
});
