import { describe, expect, it } from 'vitest';
import { type DemoStep, understand } from '../src/agent/understand.ts';

const replace = (from: string, to: string, file: string): DemoStep => ({
  kind: 'replace',
  from,
  to,
  file,
});
const addLine = (line: string, file: string): DemoStep => ({ kind: 'add-line', line, file });
const todos: DemoStep = { kind: 'count-todos' };

describe('the demo agent understands', () => {
  const cases: [prompt: string, ...steps: DemoStep[]][] = [
    ['count the TODO comments', todos],
    ['How many todos are there?', todos],
    ['please find all TO-DOs', todos],
    ['Find the TODO comments in src.', todos],
    ['how many lines are there', { kind: 'count-lines' }],
    ['list the files', { kind: 'list-files' }],
    ['Which files are in this repository?', { kind: 'list-files' }],
    ['search for water', { kind: 'search', text: 'water' }],
    ['Search for "never watered" in the code', { kind: 'search', text: 'never watered' }],
    ['find readStore', { kind: 'search', text: 'readStore' }],
    [
      'replace beans with runner beans in src/notes.js',
      replace('beans', 'runner beans', 'src/notes.js'),
    ],
    ['Replace "a b" by “c” in the file README.md.', replace('a b', 'c', 'README.md')],
    ['add a line "Made with care." to README.md', addLine('Made with care.', 'README.md')],
    ['add a line to README.md: hello there', addLine('hello there', 'README.md')],
    ['add a line to the README that says hello', addLine('hello', 'README')],
    ['ask before you delete notes.txt', { kind: 'delete', file: 'notes.txt' }],
    ['please delete the file drafts/old.md.', { kind: 'delete', file: 'drafts/old.md' }],
    ['ask which file to count', { kind: 'choose-file', question: 'Which file to count?' }],
    ['ask me for a name', { kind: 'ask', question: 'A name?' }],
    ['Ask me: what is it called?', { kind: 'ask', question: 'What is it called?' }],
    [
      'think about the water sensor 5 times',
      { kind: 'think', about: 'the water sensor', times: 5 },
    ],
    ['Think hard about rain.', { kind: 'think', about: 'rain', times: 1 }],
    ['fail', { kind: 'fail', reason: 'You asked the demo agent to fail.' }],
    ['fail with the moon is full', { kind: 'fail', reason: 'the moon is full' }],
    ['Fail because of "reasons"', { kind: 'fail', reason: 'reasons' }],
    ['wait 20 seconds', { kind: 'wait', seconds: 20 }],
    ['wait for 2 minutes', { kind: 'wait', seconds: 120 }],
    ['wait 100000 s', { kind: 'wait', seconds: 600 }],
    [
      'wait 5 seconds then count the TODO comments, then fail',
      { kind: 'wait', seconds: 5 },
      todos,
      { kind: 'fail', reason: 'You asked the demo agent to fail.' },
    ],
    ['Context from the thread\ncount the TODO comments\nthank you', todos],
    ['make tests pass', { kind: 'unknown' }],
    ['Look into why the login page is blank', { kind: 'unknown' }],
    ['find the cause and fix it', { kind: 'unknown' }],
    ['Remove unused imports', { kind: 'unknown' }],
    ['Write a parser that can count the lines of all files', { kind: 'unknown' }],
    ['', { kind: 'unknown' }],
  ];
  it.each(cases)('%j', (prompt, ...steps) => {
    expect(understand(prompt)).toEqual(steps);
  });

  it('a long prompt quickly', () => {
    const text = 'replace add a line find '.repeat(2_000);
    expect(understand(text)).toHaveLength(1);
  });
});
