import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matrixEnd, matrixOf, matrixStart, reportedTitle } from './matrix.ts';

const docs = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8');
const written = docs.split(matrixStart)[1]?.split(matrixEnd)[0] ?? '';
const withoutOutcomes = (matrix: string) =>
  matrix
    .trim()
    .replace(/Tried on [\d-]+/, 'Tried')
    .split('\n')
    .filter((line) => !line.startsWith(`| ${reportedTitle}`))
    .join('\n')
    .replace(/ (yes|no|not tried)(?= \|)/g, '');

it('docs/agents.md has the versions and checks that are tried', () => {
  expect(withoutOutcomes(written)).toBe(withoutOutcomes(matrixOf({}, '2026-01-01')));
});
