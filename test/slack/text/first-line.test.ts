import { expect, it } from 'vitest';
import { firstLine } from '../../../src/slack/text/escape-text.ts';

it.each([
  ['\n\n  npm ci: exit code 1  \nmore', 'npm ci: exit code 1'],
  ['```\nnpm ci: exit code 1\n```', 'npm ci: exit code 1'],
  ['```sh\n\n~~~\nnpm ci', 'npm ci'],
  ['```npm ci``` failed', '```npm ci``` failed'],
  ['```\n```', '```'],
  ['', ''],
])('the first line of %j is %j, without code fences', (text, line) => {
  expect(firstLine(text)).toBe(line);
});
