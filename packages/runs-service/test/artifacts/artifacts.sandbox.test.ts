import { expect, it } from 'vitest';
import { contentOf, names, runOf } from './artifacts-bed.ts';

it('what an agent leaves in its folder is read in its sandbox', async () => {
  const { service, run } = await runOf(
    `cd "$AGENT_ARTIFACTS_DIR" && echo ok > ok.txt && ln -s "$HOME/../../../artifacts" all && ln -s ok.txt also`,
    { isolation: 'bubblewrap' },
  );
  expect(names(run)).toEqual(['ok.txt']);
  expect((await contentOf(service, run, 'ok.txt')).toString()).toBe('ok\n');
});
