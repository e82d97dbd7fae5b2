import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startRunsService } from '../../support/runs-service.ts';
import { inProcessScheduler } from '../../support/service/in-process-scheduler.ts';
import {
  callingAgent,
  operatorKey,
  startModelProvider,
} from '../../support/service/model-provider.ts';

it('a remote run in bubblewrap without any network reaches the models of the service', async () => {
  const provider = await startModelProvider();
  const scheduler = inProcessScheduler();
  const environment = {
    ...scheduler.environment(callingAgent, { ...provider.settings, network: 'none' }),
    isolation: 'bubblewrap' as const,
  };
  const { begin, until, dataDir } = await startRunsService({ environments: [environment] });
  const id = await begin({ prompt: 'x' });
  const run = await until(id, 'SUCCEEDED', 'FAILED');
  expect([run.state, run.status_message?.message]).toEqual(['SUCCEEDED', expect.anything()]);
  const output = readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');
  expect(output).toContain('status 200');
  expect(provider.keys()).toEqual([operatorKey]);
});
