import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFolder } from '../../src/artifacts/read-folder.ts';
import { removeEmpty } from '../../src/sandbox/deletion/remove-folder.ts';
import { withoutSandbox } from '../../src/sandbox/run-on-host.ts';
import { createRunProcesses } from '../../src/sandbox/run-processes.ts';
import type { SandboxedCommand } from '../../src/sandbox/sandbox.ts';
import { temporaryFolder } from '../support/runs-service.ts';

/** Lists the folder of a run, and returns the commands that ran in the sandbox. */
async function list(prepare: (artifacts: string) => void) {
  const workDir = temporaryFolder();
  prepare(join(workDir, 'artifacts'));
  const place = { folder: workDir, runId: 'no-such-run' };
  const commands: SandboxedCommand[] = [];
  const sandbox = {
    run: (command: SandboxedCommand) => {
      commands.push(command);
      return withoutSandbox(place, createRunProcesses()).run(command);
    },
  };
  const signal = AbortSignal.timeout(60_000);
  const folder = {
    inside: workDir,
    removeIfEmpty: (name: string) => removeEmpty(join(workDir, name)),
  };
  const found = await listFolder({ sandbox, folder, path: '/usr/bin:/bin', signal }, 1_000);
  return { found, commands: commands.length };
}

const nothing = { paths: [], tooLarge: [], isCut: false };

describe('the list of what an agent left', () => {
  it('is empty without a command if the folder is empty', async () => {
    expect(await list((folder) => mkdirSync(folder))).toEqual({ found: nothing, commands: 0 });
  });

  it('has what is in the folder', async () => {
    const { found } = await list((folder) => {
      mkdirSync(join(folder, 'shots'), { recursive: true });
      writeFileSync(join(folder, 'shots', 'login.png'), 'x');
      writeFileSync(join(folder, 'large'), 'x'.repeat(2_000));
    });
    expect(found).toEqual({
      paths: ['artifacts/shots/login.png'],
      tooLarge: ['artifacts/large'],
      isCut: false,
    });
  });

  it('follows no link that the agent put in place of the folder, not even to an empty one', async () => {
    const target = temporaryFolder();
    const { found, commands } = await list((folder) => symlinkSync(target, folder));
    expect({ found, commands }).toEqual({ found: nothing, commands: 1 });
    expect(existsSync(target)).toBe(true);
  });
});
