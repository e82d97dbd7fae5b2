import { expect, it } from 'vitest';
import type { Firing } from '../../../src/automations/firing.ts';
import { firedText } from '../../../src/slack/automations/page/automation-words.ts';

it.each([
  [1, /^schedule$/],
  [3, /^schedule, 3 times until /],
  [119, /^schedule, at least 119 times until /],
])('says how many due times were missed: %i', (count, text) => {
  const fired = { kind: 'schedule', dueAt: 1, count, lastAt: 60_000 } as const;
  const content = { fired } as Firing['content'];
  expect(firedText({ content }, new Map())).toMatch(text);
});
