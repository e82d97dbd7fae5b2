import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { clientOf, temporaryFolder } from '../../support/runs-service.ts';
import { callingAgent, startModelProvider } from '../../support/service/model-provider.ts';
import { processScheduler } from '../../support/service/remote-runs.ts';
import { startServiceProcess } from '../../support/service/start-service-process.ts';

it('a call that waits at a cap survives kill -9 of the service: asked once, allowed once, and the clock stands still', async () => {
  const scheduler = processScheduler();
  const provider = await startModelProvider();
  const proxy = await startLosingProxy();
  const dataDir = temporaryFolder();
  const environment = scheduler.environment(`${callingAgent}; ${callingAgent}`, {
    ...provider.settings,
    caps: [{ scope: 'run', usd: 0.001_7, per: 'run' }],
    timeZone: 'UTC',
    time_limit_seconds: 20,
  });
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify([environment]));
  const start = async () => {
    const service = await startServiceProcess(dataDir, proxy.url);
    proxy.leadTo(new URL(service.apiUrl).origin);
    return { ...service, ...clientOf(service.apiUrl) };
  };
  const output = (id: string) => {
    const file = join(dataDir, 'transcripts', id, 'output.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  let service = await start();
  const id = await service.begin({ prompt: 'x' });
  const blocked = await service.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
  expect(blocked.state, output(id)).toBe('BLOCKED');
  const question = async () => (await service.get(id)).agent_progress?.question?.id;
  const asked = await question();
  const heldAt = performance.now();
  for (let kills = 0; kills < 2; kills += 1) {
    proxy.leadTo(undefined);
    await service.kill();
    service = await start();
    await expect.poll(() => output(id).match(/again after/g)?.length).toBeGreaterThan(kills);
  }
  // Hold the call longer than the run's time limit.
  await expect.poll(() => performance.now() - heldAt, { timeout: 60_000 }).toBeGreaterThan(25_000);
  expect([(await service.get(id)).state, await question()]).toEqual(['BLOCKED', asked]);
  const answers = await Promise.all(
    [1, 2, 3].map(() =>
      service.request(`/agent/runs/${id}/answers`, {
        method: 'POST',
        body: JSON.stringify({ question_id: asked, option_id: 'allow' }),
        headers: { 'content-type': 'application/json' },
      }),
    ),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  const run = await service.until(id, 'BLOCKED', 'SUCCEEDED', 'FAILED');
  expect([run.state, run.status_message?.message]).toEqual(['SUCCEEDED', expect.anything()]);
  expect(output(id).match(/status 200/g)).toHaveLength(2);
  expect(provider.keys()).toHaveLength(2);
  await expect.poll(() => scheduler.alive()).toEqual([]);
});
