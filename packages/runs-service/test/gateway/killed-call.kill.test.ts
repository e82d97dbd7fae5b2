import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf, shellEnvironment, temporaryFolder } from '../support/runs-service.ts';
import { callingAgent, startModelProvider } from '../support/service/model-provider.ts';
import { startServiceProcess } from '../support/service/start-service-process.ts';

it('a call whose service is killed after the first byte counts as spent, also after its run has ended', async () => {
  const provider = await startModelProvider((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: message_start\n');
  });
  const dataDir = temporaryFolder();
  const environment = shellEnvironment(callingAgent, { repositories: [], ...provider.settings });
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify([environment]));
  const start = async () => {
    const service = await startServiceProcess(dataDir, 'http://127.0.0.1:1');
    return { ...service, ...clientOf(service.apiUrl) };
  };
  const first = await start();
  const id = await first.begin({ prompt: 'x' });
  await expect.poll(() => provider.keys().length).toBe(1);
  await first.kill();

  const { until, get } = await start();
  await until(id, 'FAILED');
  // The lost call costs what was reserved: 2,000 tokens of output and some input.
  await expect
    .poll(async () => (await get(id)).request_usage)
    .toMatchObject({
      inference_cost_usd: expect.closeTo(2_000 * 25e-6, 2),
      models: [{ model: 'claude-opus-5-5', calls: 1 }],
    });
});
