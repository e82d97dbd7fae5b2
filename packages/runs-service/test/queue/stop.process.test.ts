import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellEnvironment } from '../support/runs-service.ts';
import { startServeRuns } from '../support/serve-runs.ts';

it('slash-agent runs-service stops within its deadline, even if an agent ignores SIGTERM', async () => {
  const deaf = `trap '' TERM; echo deaf; while :; do sleep 1; done`;
  const service = await startServeRuns(
    shellEnvironment(deaf, { id: 'ends' }),
    shellEnvironment(deaf, { id: 'again', restart: true }),
  );
  for (const environment_id of ['ends', 'again']) {
    const id = await service.begin({ prompt: 'x', config: { environment_id } });
    await service.until(id, 'INPROGRESS');
  }
  service.child.kill('SIGTERM');
  const { code, output } = await service.ended;
  expect(code, output).toBe(0);
  expect(output).toContain('Stopped.');
  expect(output).not.toContain('Still stopping after');
  expect(readdirSync(join(service.folder, 'data', 'work'))).toEqual([]);
});
