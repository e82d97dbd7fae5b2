import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../support/bundle.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { clientOf, startRunsService, temporaryFolder } from '../../support/runs-service.ts';
import { aScheduler } from '../../support/service/run-elsewhere.ts';

let program = '';
beforeAll(() => {
  program = bundle('test/support/service/service-process.ts');
});

async function startService(dataDir: string, serviceUrl: string) {
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SERVICE_URL: serviceUrl },
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  if (!child.stdout) throw new Error('The service has no output.');
  const [apiUrl] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { apiUrl, kill };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('runs elsewhere', () => {
  it('end once with everything, however often the service is killed and replies are lost', async () => {
    const scheduler = aScheduler();
    const proxy = await startLosingProxy();
    const count = join(temporaryFolder(), 'count');
    writeFileSync(count, '');
    const script = [
      `echo "$AGENT_RUN_ID" >> ${count}`,
      'for n in 1 2 3 4 5 6 7 8; do echo "line $n"; sleep 0.5; done',
      'echo "$AGENT_RUN_ID" >> notes.txt',
    ].join('\n');
    const dataDir = temporaryFolder();
    const environments = [scheduler.environment(script)];
    writeFileSync(join(dataDir, 'environments.json'), JSON.stringify(environments));
    let service = await startService(dataDir, proxy.url);
    proxy.leadTo(new URL(service.apiUrl).origin);
    let calls = 0;
    proxy.lose(() => calls++ % 5 === 0);
    const first = clientOf(service.apiUrl);
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => first.begin({ prompt: `run ${n}` })));
    for (let kills = 0; kills < 5; kills += 1) {
      // Whatever the service does then, the runs end as they should.
      await pause(300 + Math.random() * 1_500);
      proxy.leadTo(undefined);
      await service.kill();
      service = await startService(dataDir, proxy.url);
      proxy.leadTo(new URL(service.apiUrl).origin);
    }
    const { until } = clientOf(service.apiUrl);
    for (const id of ids) {
      const run = await until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
      expect([run.state, run.status_message?.message]).toEqual(['SUCCEEDED', expect.anything()]);
      const file = (name: string) => readFileSync(join(dataDir, 'transcripts', id, name), 'utf8');
      const lines = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}\n`).join('');
      expect(file('output.log')).toBe(lines);
      expect(file('changes.patch')).toContain(`+${id}`);
    }
    const executed = readFileSync(count, 'utf8').trim().split('\n');
    expect(executed.sort()).toEqual([...ids].sort());
    await expect.poll(() => scheduler.alive()).toEqual([]);
  });

  it('pass from one service to another on the same PostgreSQL, with all of their files', async () => {
    const scheduler = aScheduler();
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
    // The first one follows them, and the second one answers.
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
});
