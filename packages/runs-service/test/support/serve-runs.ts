import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bundleSlashAgent } from '../../../base/test/support/bundle.ts';
import { startProgram, untilExit } from '../../../base/test/support/program.ts';
import { clientOf, temporaryFolder, testKey } from './runs-service.ts';

/** Starts the runs service as a process, with SQLite unless there is another database. */
export function startProcess(environments: readonly object[], database?: string) {
  const folder = temporaryFolder();
  const file = join(folder, 'environments.yml');
  writeFileSync(file, JSON.stringify({ environments }));
  const variables = {
    RUNS_SERVICE_ENVIRONMENTS: file,
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_PORT: '0',
    DATABASE_URL: database ?? `sqlite:${join(folder, 'service.db')}`,
    DATA_DIR: join(folder, 'data'),
  };
  const child = startProgram(bundleSlashAgent(), variables, 'runs-service');
  return { child, folder, log: collect(child), ended: untilExit(child) };
}

/** Starts the runs service as a process, and waits until it's ready. */
export async function startServeRuns(...environments: object[]) {
  const started = startProcess(environments);
  await expect.poll(started.log).toContain('"apiUrl"');
  return { ...started, ...clientOf(/"apiUrl":"([^"]+)"/.exec(started.log())?.[1] ?? '') };
}

/** Returns a function that returns a program's output so far. */
export function collect(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  return () => said;
}
