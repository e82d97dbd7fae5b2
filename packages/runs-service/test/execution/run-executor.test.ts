import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

it('a run can be canceled while its environment is checked, such as during a download', async () => {
  const program = join(temporaryFolder(), 'containers');
  writeFileSync(program, '#!/bin/sh\nexec sleep 3600\n', { mode: 0o755 });
  const container = [program, '{container_name}', '{work_dir}', '{read_only}', '{variable}'];
  const service = await startRunsService({
    environments: [shellEnvironment('true', { container })],
  });
  const id = await service.begin({ prompt: 'x' });
  await service.until(id, 'INPROGRESS');
  await service.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
  expect((await service.until(id, 'CANCELLED', 'FAILED')).state).toBe('CANCELLED');
});
