import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readYamlFile } from '../src/files/read-yaml-file.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const schema = z.strictObject({ all: z.array(z.strictObject({ id: z.string() })) });

function reading(text: string) {
  const file = join(temporaryFolder(), 'some.yml');
  writeFileSync(file, text);
  return () => readYamlFile(file, 'list of things', schema);
}

it('reads YAML and JSON', () => {
  expect(reading('all:\n  - id: a\n')()).toEqual({ all: [{ id: 'a' }] });
  expect(reading('{"all":[]}')()).toEqual({ all: [] });
});

it.each([
  ['a value', 'all:\n  - id: a\n  - id: 7\n', /line 3, all\.1\.id: /],
  ['a key that is missing, by where it belongs', 'all:\n  - {}\n', /line 2, all\.0\.id: /],
  ['a key that nothing knows', 'all:\n  - id: a\n    idd: b\n', /line 2, all\.0: .*idd/],
  ['the whole file', '', /the file: /],
  ['a mistake in the YAML', 'all: [', /Can't read the list of things .*some\.yml: .* line 1/s],
])('names the file and the line of %s', (_, text, says) => {
  expect(reading(text)).toThrow(says);
  expect(reading(text)).toThrow(/list of things .*some\.yml/);
});

it('says that a file is missing', () => {
  const missing = () => readYamlFile(join(temporaryFolder(), 'none'), 'list of things', schema);
  expect(missing).toThrow(/Can't read the list of things .*ENOENT/);
});
