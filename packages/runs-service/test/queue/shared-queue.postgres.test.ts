import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';

it('two services on one PostgreSQL share the queue and the concurrency of an environment', async () => {
  const url = await createPostgresDatabase();
  const busy = join(temporaryFolder(), 'busy');
  // Create a folder, which fails if another agent is active.
  const environment = shellEnvironment(
    `mkdir ${busy} || exit 9; sleep 0.05; rmdir ${busy}; echo "$AGENT_PROMPT"`,
    { concurrency: 1, repositories: [] },
  );
  const services = await Promise.all(
    ['one', 'two'].map(async () => {
      const db = await openTestDatabase(url);
      return startRunsService({ environments: [environment], db });
    }),
  );
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const service of services) ids.push(await service.begin({ prompt: `run ${round}` }));
  }
  const [first] = services;
  for (const id of ids) {
    const run = await first?.until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({ state: 'SUCCEEDED' });
  }
});
