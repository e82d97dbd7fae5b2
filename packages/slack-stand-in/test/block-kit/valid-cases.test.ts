import { describe, expect, it } from 'vitest';
import { hasSharedData, whySkipped } from '../support/shared-data.ts';
import { listPlaces, replaceAt, valueAt } from './places.ts';
import { checkAs, readValid, validFiles } from './valid-files.ts';

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

/** Files with parts that apps fill freely, in which any value is valid. */
const open = [/^attachments\//, /^messages\//];
const judged = validFiles.filter((file) => !open.some((pattern) => pattern.test(file)));

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Returns values of other types, which must be rejected in place of this one. */
function wrongInsteadOf(value: unknown): unknown[] {
  const others = [{}, [], '', 1.5, true, [[]]].filter((other) => kindOf(other) !== kindOf(value));
  const isObject = kindOf(value) === 'object' && value !== null;
  return [null, ...others, ...(isObject ? [{ ...Object(value), unknown_field: 1 }] : [])];
}

describe.skipIf(!hasSharedData)(`the shared valid cases${skipNote}`, () => {
  it('are 100, and pass', () => {
    expect(validFiles).toHaveLength(100);
    expect(validFiles.flatMap((file) => checkAs(file, readValid(file)))).toEqual([]);
  });

  it.each(judged)('%s passes with nothing added, null or of another type, anywhere', (file) => {
    const value = readValid(file);
    const taken = listPlaces(value).flatMap((path) =>
      wrongInsteadOf(valueAt(value, path))
        .filter((wrong) => checkAs(file, replaceAt(value, path, wrong)).length === 0)
        .map((wrong) => [path.join('.'), wrong]),
    );
    expect(taken).toEqual([]);
  });
});
