import { expect, it } from 'vitest';
import { marksRun } from '../../src/sandbox/run-processes.ts';

const environ = (...variables: string[]) => variables.map((each) => `${each}\0`).join('');

it.each<[about: string, variables: string, isMarked: boolean]>([
  ['the ID', environ('AGENT_RUN_ID=run-1', 'PATH=/bin'), true],
  ['the ID, after other variables', environ('PATH=/bin', 'AGENT_RUN_ID=run-1'), true],
  ['the ID of another run', environ('AGENT_RUN_ID=run-2'), false],
  ['the beginning of the ID', environ('AGENT_RUN_ID=run-'), false],
  ['more than the ID', environ('AGENT_RUN_ID=run-12'), false],
  ['an empty ID', environ('AGENT_RUN_ID='), false],
  ['no ID', environ('PATH=/bin'), false],
  ['the ID in another variable', environ('OLD_AGENT_RUN_ID=run-1', 'X=AGENT_RUN_ID=run-1'), false],
  ['no variables', '', false],
])('a process with %s is found only if it belongs to the run', (_, variables, isMarked) => {
  expect(marksRun(variables, new Set(['run-1']))).toBe(isMarked);
});

it.each([
  ['no ID', environ('PATH=/bin')],
  ['an empty ID', environ('AGENT_RUN_ID=', 'PATH=/bin')],
  ['an ID', environ('AGENT_RUN_ID=run-1')],
  ['no variables', ''],
])('a run with an empty ID has no process with %s', (_, variables) => {
  expect(marksRun(variables, new Set(['']))).toBe(false);
});
