import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pruneTranscripts } from '../../src/runs-service/transcript-pruning.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

const old = new Date('2020-01-01');
const dayMs = 24 * 60 * 60_000;

it('old transcripts are removed, newer ones stay', async () => {
  const folder = temporaryFolder();
  for (const name of ['old', 'new']) mkdirSync(join(folder, name));
  utimesSync(join(folder, 'old'), old, old);
  expect(await pruneTranscripts(folder, dayMs)).toBe(1);
  expect(readdirSync(folder)).toEqual(['new']);
  expect(await pruneTranscripts(join(folder, 'gone'), dayMs)).toBe(0);
});

it('the session page of a run whose transcript was removed says so', async () => {
  const dataDir = temporaryFolder();
  const service = await startRunsService({ environments: [shellEnvironment('echo hi')], dataDir });
  const run = await service.until(await service.begin({ prompt: 'x' }), 'SUCCEEDED');
  const transcripts = join(dataDir, 'transcripts');
  utimesSync(join(transcripts, run.run_id), old, old);
  await pruneTranscripts(transcripts, dayMs);
  const page = await fetch(run.session_link ?? '');
  expect(await page.text()).toContain('no longer kept');
  expect((await fetch(`${run.session_link}/output.log`)).status).toBe(404);
});
