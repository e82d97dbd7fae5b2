import type { ChildProcess } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bundle } from './bundle.ts';
import { startProgram, untilExit } from './program.ts';
import { clientOf, temporaryFolder, testKey } from './runs-service.ts';

type Listed = { environments: { uid: string; problem?: string }[]; problem?: string };

/** Starts the runs service as a process, with an environments file that the test can change. */
export async function startServeRuns(...environments: object[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'environments.yml');
  const replace = (...all: object[]) => {
    writeFileSync(`${file}.new`, JSON.stringify({ environments: all }));
    renameSync(`${file}.new`, file);
  };
  replace(...environments);
  const child = startProgram(bundle('src/serve-runs.ts'), {
    RUNS_SERVICE_ENVIRONMENTS: file,
    RUNS_SERVICE_KEYS: `ada=${testKey}`,
    RUNS_SERVICE_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    DATA_DIR: join(folder, 'data'),
  });
  const ended = untilExit(child);
  const log = collect(child);
  await expect.poll(log).toContain('"apiUrl"');
  const client = clientOf(/"apiUrl":"([^"]+)"/.exec(log())?.[1] ?? '');
  const listed = async () => (await (await client.request('/agent/environments')).json()) as Listed;
  const ids = async () => (await listed()).environments.map(({ uid }) => uid);
  const write = (content: string) => writeFileSync(file, content);
  return { child, ended, folder, file, write, replace, log, listed, ids, ...client };
}

/** The output of a program so far. */
export function collect(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  return () => said;
}
