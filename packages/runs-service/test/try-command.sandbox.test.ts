import { expect, it } from 'vitest';
import { environmentExamples } from './support/environment-examples.ts';
import { startTrying } from './try-command-bed.ts';

it('the shell script of docs/environments.md leads from one file to an answer', async () => {
  const file = environmentExamples().get('A shell script') ?? '';
  const { code, output, answer, left } = await startTrying(file).end();
  expect(answer).toBe('TODO comments: 2. You asked: Count them\n');
  expect(output).toContain('- search git grep TODO');
  expect(code).toBe(0);
  expect(left).toEqual([]);
});
