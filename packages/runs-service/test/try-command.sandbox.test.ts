import { expect, it } from 'vitest';
import { environmentExamples } from './support/environment-examples.ts';
import { startTrying } from './try-command-bed.ts';

it('the script of docs/agent-commands.md leads from one file to an answer', async () => {
  const file = environmentExamples().get('script') ?? '';
  const { code, output, answer, left } = await startTrying(file).end();
  expect(answer).toBe('TODO comments: 2. You asked: Count them\n');
  expect({ code, output }).toEqual({ code: 0, output: expect.anything() });
  expect(left).toEqual([]);
});
