import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEnvironment } from '../../../../src/runs-service/environments/environments.ts';
import { markTime, packHome } from '../../../../src/runs-service/execution/memory/pack-home.ts';
import { newFileKey } from '../../../../src/runs-service/execution/memory/sealed-file.ts';
import { runOnHost } from '../../../../src/runs-service/isolation/run-on-host.ts';
import type { Wall } from '../../../../src/runs-service/isolation/wall.ts';
import { temporaryFolder } from '../../../support/runs-service.ts';

const soon = Date.now() / 1000 + 60;

/** Packs a home in which the agent wrote these files. @returns the outcome, and how many commands it took */
async function pack(environment: Pick<ServiceEnvironment, 'harness'>, written: string[]) {
  const workDir = temporaryFolder();
  for (const name of ['home', 'input']) mkdirSync(join(workDir, name));
  const marker = await markTime(workDir);
  for (const name of written) {
    writeFileSync(join(workDir, name), 'pelican');
    utimesSync(join(workDir, name), soon, soon);
  }
  let commands = 0;
  const wall: Wall = {
    run(command) {
      commands += 1;
      return runOnHost(command);
    },
  };
  const home = {
    wall,
    workDir,
    path: process.env['PATH'] ?? '',
    signal: AbortSignal.timeout(60_000),
  };
  const file = join(temporaryFolder(), 'packed');
  const target = { file, key: newFileKey(), limitBytes: 1_000_000 };
  return { outcome: await packHome(home, { environment, marker }, target), commands };
}

describe("the agent's home", () => {
  it.each([
    [{}, [], 'nothing', 0],
    [{ harness: 'acp' as const }, [], 'nothing', 0],
    [{}, ['home/notes'], 'packed', 1],
    [{ harness: 'codex' as const }, [], 'nothing', 1],
    [{ harness: 'codex' as const }, ['input/session'], 'packed', 1],
  ])(
    'of %j with the files %j: %s, after %i commands',
    async (environment, written, outcome, commands) => {
      expect(await pack(environment, written)).toEqual({ outcome, commands });
    },
  );
});
