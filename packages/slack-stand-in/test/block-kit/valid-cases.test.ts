import { describe, expect, it } from 'vitest';
import { hasSharedData, whySkipped } from '../support/shared-data.ts';
import { checkAs, readValid, validFiles } from './valid-files.ts';

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

type Path = (string | number)[];

/** Places with free content. */
const open = [/^attachments\//, /^messages\//];

/** All paths inside a value. */
function listPlaces(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, item]) => listPlaces(item, [...path, key]));
  return [path, ...inside];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
}

function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaceAt(copy[key], rest, by);
  return copy;
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe.skipIf(!hasSharedData)(`the shared valid cases${skipNote}`, () => {
  it('are 100', () => {
    expect(validFiles).toHaveLength(100);
  });

  it.each(validFiles)('%s passes', (file) => {
    expect(checkAs(file, readValid(file))).toEqual([]);
  });

  const judged = validFiles.filter((file) => !open.some((pattern) => pattern.test(file)));

  it.each(judged)('%s passes with nothing added, anywhere', (file) => {
    const value = readValid(file);
    const objects = listPlaces(value).filter((path) => isObject(valueAt(value, path)));
    const taken = objects.filter((path) => {
      const grown = replaceAt(value, path, { ...Object(valueAt(value, path)), unknown_field: 1 });
      return checkAs(file, grown).length === 0;
    });
    expect(taken).toEqual([]);
  });

  it.each(judged)('%s passes with nothing replaced by null, anywhere', (file) => {
    const value = readValid(file);
    const taken = listPlaces(value).filter(
      (path) => checkAs(file, replaceAt(value, path, null)).length === 0,
    );
    expect(taken).toEqual([]);
  });

  it.each(judged)('%s passes with nothing of another type, anywhere', (file) => {
    const value = readValid(file);
    const others = [{}, [], '', 1.5, true, [[]]];
    const taken = listPlaces(value).flatMap((path) => {
      const kind = (each: unknown) => (Array.isArray(each) ? 'array' : typeof each);
      const wrong = others.filter((other) => kind(other) !== kind(valueAt(value, path)));
      return wrong
        .filter((other) => checkAs(file, replaceAt(value, path, other)).length === 0)
        .map((other) => [path.join('.'), other]);
    });
    expect(taken).toEqual([]);
  });
});
