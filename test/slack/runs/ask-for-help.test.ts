import { expect, it } from 'vitest';
import { asksForHelp } from '../../../src/slack/runs/reading/read-words.ts';

it.each(['help', 'HELP?!', '/agent help', ' help me ', 'What can you do?', '“what  can you do…”'])(
  '"%s" asks for help',
  (text) => expect(asksForHelp(text)).toBe(true),
);

it.each([
  'help me fix the login test',
  'what can you do about the failing build?',
  '',
  'no help',
  `help${'!'.repeat(200)}`,
])('"%s" is a prompt', (text) => expect(asksForHelp(text)).toBe(false));
