import { expect, it } from 'vitest';
import { plainLine } from '../../../src/slack/text/plain-line.ts';

it.each([
  [
    'I fixed the **login loop** in `src/login.ts`: done',
    'I fixed the login loop in src/login.ts: done',
  ],
  ['## Summary\n\ntext', 'Summary'],
  ['\n```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['---\n| a | b |\n| --- | --- |', '| a | b |'],
  ['- [x] *all* of __it__', 'all of it'],
  ['> 1. quoted', 'quoted'],
  ['See [the log](https://ci.example.com/412).', 'See the log.'],
  ['See the log (https://ci.example.com/412).', 'See the log.'],
  ['Deployed to https://shop.example.com/a?b=c.', 'Deployed to shop.example.com'],
  ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
  ['```\n```', ''],
  ['', ''],
])('%j is "%s" in a notification', (markdown, line) => {
  expect(plainLine(markdown)).toBe(line);
});
