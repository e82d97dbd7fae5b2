import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../support/bundle.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { throughGate } from '../../support/network/tcp-gate.ts';
import { startProgram, untilExit } from '../../support/program.ts';
import {
  createRepository,
  shellEnvironment,
  temporaryFolder,
  testKey,
} from '../../support/runs-service.ts';
import { collect, startServeRuns } from '../../support/serve-runs.ts';

describe('npm run runs-service', () => {
  it('waits for PostgreSQL', async () => {
    const { url, gate } = await throughGate(await createPostgresDatabase());
    await gate.refuse();
    const folder = temporaryFolder();
    const file = join(folder, 'environments.yml');
    const environment = shellEnvironment('echo done');
    writeFileSync(file, JSON.stringify({ environments: [environment] }));
    const child = startProgram(bundle('src/serve-runs.ts'), {
      RUNS_SERVICE_ENVIRONMENTS: file,
      RUNS_SERVICE_KEYS: `ada=${testKey}`,
      RUNS_SERVICE_PORT: '0',
      DATABASE_URL: url,
      DATA_DIR: join(folder, 'data'),
    });
    const ended = untilExit(child);
    const log = collect(child);
    await expect.poll(log).toContain("PostgreSQL can't be reached");
    await gate.accept();
    await expect.poll(log).toContain('"apiUrl"');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('stops within its deadline, even if an agent ignores SIGTERM', async () => {
    const script = `trap '' TERM; echo deaf; while :; do sleep 1; done`;
    const repositories = [{ url: createRepository({ 'a.txt': '' }) }];
    const service = await startServeRuns(
      { id: 'ends', isolation: 'none', repositories, command: ['sh', '-c', script] },
      {
        id: 'again',
        isolation: 'none',
        repositories,
        command: ['sh', '-c', script],
        restart: true,
      },
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
});
