import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../support/runs-service.ts';
import { startServeRuns } from '../support/serve-runs.ts';

describe('npm run runs-service', () => {
  it('stops within its deadline also when an agent does not heed SIGTERM', async () => {
    const script = `trap '' TERM; echo deaf; while :; do sleep 1; done`;
    const repositories = [{ url: createRepository({ 'a.txt': '' }) }];
    const service = await startServeRuns(
      { id: 'ends', repositories, command: ['sh', '-c', script] },
      { id: 'again', repositories, command: ['sh', '-c', script], restart: true },
    );
    for (const environment_id of ['ends', 'again']) {
      const id = await service.begin({ prompt: 'x', config: { environment_id } });
      await service.until(id, 'INPROGRESS');
    }
    service.child.kill('SIGTERM');
    const { code, output } = await service.ended;
    expect(code, output).toBe(0);
    expect(output).toContain('Stopped.');
    expect(output).not.toContain('Not stopped after');
    expect(readdirSync(join(service.folder, 'data', 'work'))).toEqual([]);
  }, 60_000);
});
