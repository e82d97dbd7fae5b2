import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { script, startTrying } from './try-command-bed.ts';

it('trying an environment ends with Ctrl-C, and leaves nothing behind', async () => {
  const { child, temporary, end } = startTrying(script('echo started > "$HOME/../up"; sleep 600'));
  const isUp = () =>
    readdirSync(temporary, { recursive: true, encoding: 'utf8' }).some((each) =>
      each.endsWith('/up'),
    );
  await expect.poll(isUp).toBe(true);
  child.kill('SIGINT');
  const { code, output, left } = await end();
  expect(output).toContain('Canceled.');
  expect(code).toBe(1);
  expect(left).toEqual([]);
});

it('a mistake is explained, and the program fails', async () => {
  const { code, output } = await startTrying('environments: []').end();
  expect(output).toContain('environments.yml has mistakes');
  expect(output).not.toContain('    at ');
  expect(code).toBe(1);
});
