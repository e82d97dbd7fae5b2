import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pruneFolder } from '../../../src/execution/files/prune-folder.ts';
import { useDatabase } from '../../support/databases.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../../support/runs-service.ts';

const db = useDatabase();
const old = new Date('2020-01-01');
const dayMs = 24 * 60 * 60_000;

it('old files are deleted, newer ones stay', async () => {
  const folder = temporaryFolder();
  for (const name of ['old', 'new']) mkdirSync(join(folder, name));
  utimesSync(join(folder, 'old'), old, old);
  expect(await pruneFolder(folder, dayMs)).toBe(1);
  expect(readdirSync(folder)).toEqual(['new']);
  expect(await pruneFolder(join(folder, 'gone'), dayMs)).toBe(0);
});

it('deletes copies of repositories that no one used for two weeks, and makes them again', async () => {
  const dataDir = temporaryFolder();
  const environments = [shellEnvironment('cat notes.txt')];
  const names = (folder: string) =>
    readdirSync(join(dataDir, folder)).filter((name) => !name.includes('-'));
  const age = (folder: string) => {
    for (const name of names(folder)) utimesSync(join(dataDir, folder, name), old, old);
  };
  const finish = async ({ begin, until }: StartedService) => {
    const run = await until(await begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
    expect(run.state).toBe('SUCCEEDED');
    await expect.poll(() => names('spares')).toHaveLength(1);
  };
  const first = await startRunsService({ environments, dataDir });
  await finish(first);
  age('mirrors');
  await finish(first);
  await first.service.stop();
  const second = await startRunsService({ environments, dataDir });
  await second.service.stop();
  expect([names('mirrors'), names('spares')]).toEqual([[expect.any(String)], [expect.any(String)]]);
  age('mirrors');
  age('spares');
  const third = await startRunsService({ environments, dataDir });
  await expect.poll(() => [...names('mirrors'), ...names('spares')]).toEqual([]);
  await finish(third);
});

it('the session page says when its transcript was deleted', async () => {
  const dataDir = temporaryFolder();
  const service = await startRunsService({
    environments: [shellEnvironment('echo hi')],
    dataDir,
    db: db(),
  });
  const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED');
  const transcripts = join(dataDir, 'transcripts');
  utimesSync(join(transcripts, run.run_id), old, old);
  await pruneFolder(transcripts, dayMs);
  const long = { updated_at: old.getTime() };
  await db().updateTable('service_runs').set(long).where('id', '=', run.run_id).execute();
  const page = await fetch(run.session_link ?? '');
  expect(await page.text()).toContain('Output is deleted after');
  expect((await fetch(`${run.session_link}/output.log`)).status).toBe(404);
});

it('a session page on another process says where the output is', async () => {
  const dataDir = temporaryFolder();
  const go = join(temporaryFolder(), 'go');
  const script = `echo hi; until [ -e ${go} ]; do sleep 0.02; done`;
  const environments = [shellEnvironment(script)];
  const executing = await startRunsService({ environments, dataDir, db: db() });
  const other = await startRunsService({ environments, db: db(), concurrency: 0 });
  const id = await executing.begin({ prompt: 'x' });
  const run = await executing.until(id, 'INPROGRESS');
  const elsewhere = (run.session_link ?? '').replace(executing.service.url, other.service.url);
  const says = async () => (await fetch(elsewhere)).text();
  expect(await says()).toContain('another process of this service has the output');
  writeFileSync(go, '');
  await executing.until(id, 'SUCCEEDED');
  expect(await says()).toContain('another process of this service has the output');
  expect(await (await fetch(run.session_link ?? '')).text()).not.toContain('another process');
  expect(await (await fetch(`${elsewhere}/output.log`)).text()).toContain('another process');
});

it('what a remote run sent before its process was lost goes away after its end', async () => {
  const dataDir = temporaryFolder();
  const environments = [shellEnvironment('echo hi')];
  const first = await startRunsService({ environments, dataDir, db: db() });
  const id = await first.begin({ prompt: 'x' });
  await first.until(id, 'SUCCEEDED');
  await first.service.stop();
  const sent = (runId: string) => join(dataDir, 'transcripts', runId, 'incoming');
  for (const runId of [id, 'unknown']) {
    mkdirSync(sent(runId), { recursive: true });
    writeFileSync(join(sent(runId), '1-patch'), 'x');
    utimesSync(join(sent(runId), '1-patch'), old, old);
  }
  await startRunsService({ environments, dataDir, db: db() });
  for (const runId of [id, 'unknown'])
    await expect.poll(() => readdirSync(sent(runId))).toEqual([]);
});
