import { describe, expect, it } from 'vitest';
import { completionsAt } from '../../src/page/composer/completion.ts';

const commands = [
  { command: '/agent', usageHint: '[prompt]', description: 'Start a run' },
  { command: '/ask', usageHint: '', description: 'Ask' },
];
const person = (id: string, name: string, handle: string) => {
  const rest = { role: 'member' as const, timeZone: 'UTC', title: '', isHere: true };
  return { kind: 'person' as const, id, name, handle, ...rest };
};
const people = [person('U1', 'Ada Lovelace', 'ada'), person('U2', 'Sam Guest', 'sam')];
const channel = {
  kind: 'channel' as const,
  id: 'C1',
  name: 'engineering',
  type: 'public' as const,
  topic: '',
  memberIds: [],
  isMember: true,
  hasApp: true,
};
const known = { commands, people, channels: [channel] };
const insertsAt = (text: string, caret = text.length) =>
  completionsAt(text, caret, known)?.items.map((item) => item.insert);

describe('completions in the composer', () => {
  it.each([
    ['/', ['/agent ', '/ask ']],
    ['/ag', ['/agent ']],
    ['/agent do', ['/agent do']],
    ['/other', undefined],
    ['say /ag', undefined],
    ['hello @lo', ['@Ada Lovelace ']],
    ['hello @sam', ['@Sam Guest ']],
    ['mail a@sam', undefined],
    ['see #eng', ['#engineering ']],
    ['plain', undefined],
  ])('for "%s" is %j', (text, expected) => {
    expect(insertsAt(text)).toEqual(expected);
  });

  it('only use the word before the caret', () => {
    expect(insertsAt('@ada and more', 4)).toEqual(['@Ada Lovelace ']);
    expect(insertsAt('@ada and more', 13)).toBeUndefined();
  });
});
