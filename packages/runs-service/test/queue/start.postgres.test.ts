import { expect, it } from 'vitest';
import { throughGate } from '../../../base/test/support/tcp-gate.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { shellEnvironment } from '../support/runs-service.ts';
import { startProcess } from '../support/serve-runs.ts';

it('slash-agent runs-service waits for PostgreSQL', async () => {
  const { url, gate } = await throughGate(await createPostgresDatabase());
  await gate.reject();
  const { child, log, ended } = startProcess([shellEnvironment('echo done')], url);
  await expect.poll(log).toContain("PostgreSQL can't be reached");
  await gate.accept();
  await expect.poll(log).toContain('"apiUrl"');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
