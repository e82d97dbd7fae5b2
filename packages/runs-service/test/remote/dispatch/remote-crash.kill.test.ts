import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { clientOf, temporaryFolder } from '../../support/runs-service.ts';
import { processScheduler } from '../../support/service/remote-runs.ts';
import { startServiceProcess } from '../../support/service/start-service-process.ts';

describe('remote runs', () => {
  it('end once with everything, however often the service is killed and replies are lost', async () => {
    const scheduler = processScheduler();
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
    const outputOf = (id: string) => {
      const file = join(dataDir, 'transcripts', id, 'output.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    let service = await startServiceProcess(dataDir, proxy.url);
    proxy.leadTo(new URL(service.apiUrl).origin);
    let calls = 0;
    proxy.lose(() => calls++ % 5 === 0);
    const first = clientOf(service.apiUrl);
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => first.begin({ prompt: `run ${n}` })));
    const [oldest = ''] = ids;
    for (let kills = 0; kills < 5; kills += 1) {
      // Kill the service at the beginning, and later while it receives the output of the runs.
      if (kills > 0) await expect.poll(() => outputOf(oldest)).toContain(`line ${kills}`);
      proxy.leadTo(undefined);
      await service.kill();
      service = await startServiceProcess(dataDir, proxy.url);
      proxy.leadTo(new URL(service.apiUrl).origin);
    }
    const { until } = clientOf(service.apiUrl);
    for (const id of ids) {
      const run = await until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED');
      expect([run.state, run.status_message?.message]).toEqual(['SUCCEEDED', expect.anything()]);
      const lines = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}\n`).join('');
      expect(outputOf(id)).toBe(lines);
      const patch = readFileSync(join(dataDir, 'transcripts', id, 'changes.patch'), 'utf8');
      expect(patch).toContain(`+${id}`);
    }
    const executed = readFileSync(count, 'utf8').trim().split('\n');
    expect(executed.sort()).toEqual([...ids].sort());
    await expect.poll(() => scheduler.alive()).toEqual([]);
  });
});
