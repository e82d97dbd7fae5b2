import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../../support/databases.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { inProcessScheduler } from '../../support/service/in-process-scheduler.ts';

it('remote runs pass from one service to another on the same PostgreSQL, with all of their files', async () => {
  const scheduler = inProcessScheduler();
  const proxy = await startLosingProxy();
  const go = join(temporaryFolder(), 'go');
  const script = `echo before; while [ ! -e ${go} ]; do sleep 0.1; done; echo after; echo x >> notes.txt`;
  const environments = [scheduler.environment(script)];
  const url = await createPostgresDatabase();
  const serviceOn = async () => {
    const db = await openTestDatabase(url);
    onTestFinished(() => db.destroy());
    return startRunsService({ environments, db, serviceUrl: proxy.url });
  };
  const first = await serviceOn();
  proxy.leadTo(first.service.url);
  const ids = [await first.begin({ prompt: 'x' }), await first.begin({ prompt: 'y' })];
  for (const id of ids) await first.printed(id, 'before');
  const second = await serviceOn();
  // The first service follows the runs, and the second one answers their processes.
  proxy.leadTo(second.service.url);
  const [one = '', two = ''] = ids;
  await second.request(`/agent/runs/${two}/cancel`, { method: 'POST' });
  await second.until(two, 'CANCELLED');
  writeFileSync(go, '');
  expect((await second.until(one, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
  const file = (name: string) =>
    readFileSync(join(second.dataDir, 'transcripts', one, name), 'utf8');
  expect(file('output.log')).toBe('before\nafter\n');
  expect(file('changes.patch')).toContain('+x');
  expect(scheduler.dispatches()).toHaveLength(2);
});
