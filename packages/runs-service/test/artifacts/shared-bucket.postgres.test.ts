import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Artifact } from 'runs-client/artifact';
import type { Run } from 'runs-client/contract';
import { expect, it } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../support/databases.ts';
import { startS3Server } from '../support/network/s3-server.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
} from '../support/runs-service.ts';

async function downloadFrom({ request }: StartedService, run: Run, name: string): Promise<string> {
  const found = run.artifacts?.find(({ data }) => data?.['filename'] === name);
  const path = `/agent/artifacts/${found?.data?.['artifact_uid']}`;
  const { data } = (await (await request(path)).json()) as Artifact;
  return (await fetch(data.download_url ?? '')).text();
}

it('two services with one PostgreSQL and one bucket serve the files of each other, which the bucket has encrypted', async () => {
  const { place, keys, content } = await startS3Server();
  const db = await openTestDatabase(await createPostgresDatabase());
  const environments = [shellEnvironment('echo a-word-to-look-for > notes.txt')];
  const options = { db, environments, artifactsBucket: place };
  const one = await startRunsService(options);
  const two = await startRunsService({ ...options, concurrency: 0 });
  const run = await one.until(await two.begin({ prompt: 'x' }), 'SUCCEEDED', 'FAILED');
  expect(readdirSync(join(one.dataDir, 'artifacts'))).toEqual([]);
  const [key = ''] = keys();
  expect(content(key).includes('a-word-to-look-for')).toBe(false);
  for (const service of [one, two])
    expect(await downloadFrom(service, run, 'changes.patch')).toContain('+a-word-to-look-for');
  await db.destroy();
});
