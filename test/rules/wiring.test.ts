import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const filesIn = (folder: string) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

const isWiring = (file: string) => file.startsWith('src/bot/') || /^src\/slack\/[^/]+$/.test(file);

/** Blanks comments and the content of strings. The text keeps its length and lines. */
const withoutText = (source: string): string =>
  source.replace(
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g,
    (text) => text.replace(/[^\n]/g, ' '),
  );

/** Returns the position of the bracket that encloses this one. */
function enclosing(code: string, at: number): number {
  let depth = 0;
  for (let index = at - 1; index >= 0; index -= 1) {
    const char = code[index] ?? '';
    if (')]}'.includes(char)) depth += 1;
    if ('([{'.includes(char) && depth-- === 0) return index;
  }
  return -1;
}

const isBag = (text: string) => /^\.\.\.(parts|deps|shared|store|workspace)$/.test(text);

/** Returns lines that spread an object into a literal, or collect the rest of one. */
function spreads(source: string, isFeature: boolean): string[] {
  const code = withoutText(source);
  return [...code.matchAll(/\.\.\.[a-z][\w.?]*(?![\w.?(])/gi)]
    .filter(({ index, 0: text }) => {
      const literal = enclosing(code, index);
      if (code[literal] !== '{') return false;
      if (!isFeature || isBag(text)) return true;
      const before = code.slice(0, enclosing(code, literal));
      return /\b(register|create)[A-Z]\w*$/.test(before);
    })
    .map(({ index, 0: text }) => `${code.slice(0, index).split('\n').length}: ${text}`);
}

const found = [...filesIn('src/bot'), ...filesIn('src/slack')].flatMap((file) => {
  const lines = spreads(readFileSync(root + file, 'utf8'), !isWiring(file));
  return lines.length > 0 ? [{ file, lines }] : [];
});

it('gives each part what it uses by name, without spreads', () => {
  expect(found).toEqual([]);
});

it('sees spreads where parts are created', () => {
  const bag = 'createAll({ ...parts, client });';
  expect(spreads(bag, true)).toHaveLength(1);
  expect(spreads('const { store, ...shared } = parts;', false)).toHaveLength(1);
  expect(spreads('createAll({ ...(url && { url }), list: [...names] });', false)).toEqual([]);
  expect(spreads('const next = { ...before, page };', true)).toEqual([]);
});
