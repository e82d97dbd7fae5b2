import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService } from '../../support/runs-service.ts';
import { aScheduler } from '../../support/service/run-elsewhere.ts';

describe('a run whose service answers its reports in a way that it cannot read', () => {
  it('ends its agent after half a minute, says why, and keeps its changes', async () => {
    const scheduler = aScheduler();
    const proxy = await startLosingProxy();
    const environment = scheduler.environment('echo changed >> notes.txt; echo ready; sleep 600');
    const { service, begin, until, printed, dataDir } = await startRunsService({
      environments: [environment],
      serviceUrl: proxy.url,
    });
    proxy.leadTo(service.url);
    proxy.replace((path) => (path.endsWith('/report') ? '{"next":"x"}' : undefined));
    const id = await begin({ prompt: 'x' });
    await printed(id, 'ready');
    const { status_message: status } = await until(id, 'FAILED');
    expect(status?.message).toMatch(/don't understand each other \(next\)\. Use the same version/);
    const patch = join(dataDir, 'transcripts', id, 'changes.patch');
    expect(readFileSync(patch, 'utf8')).toContain('+changed');
    await expect.poll(() => scheduler.alive(id)).toEqual([]);
  });
});
