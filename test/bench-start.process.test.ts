import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../packages/base/test/support/bundle.ts';
import { startProgram, untilExit } from '../packages/base/test/support/program.ts';
import { temporaryFolder } from '../packages/runs-service/test/support/runs-service.ts';

it('the benchmark of starts says at once that bubblewrap is missing, and leaves nothing', async () => {
  const [programs, temporary] = [temporaryFolder(), temporaryFolder()];
  const folder = join(programs, 'bin');
  mkdirSync(folder);
  for (const name of ['git', 'sh'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
  const child = startProgram(bundle('bench/start.bench.ts'), { PATH: folder, TMPDIR: temporary });
  const { code, output } = await untilExit(child);
  expect(output).toContain('This machine can\'t measure starts: "bwrap" isn\'t installed');
  expect(output).toContain('Install the package "bubblewrap"');
  expect(code).toBe(2);
  expect(readdirSync(temporary)).toEqual([]);
});
