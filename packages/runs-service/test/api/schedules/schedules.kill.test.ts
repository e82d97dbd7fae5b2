import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSchedules } from '../../../src/store/schedules.ts';
import type { Db } from '../../../src/store/schema.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { clientOf, shellEnvironment, temporaryFolder } from '../../support/runs-service.ts';
import { startServiceProcess } from '../../support/service/start-service-process.ts';

const count = 24;

async function createSchedule(apiUrl: string, name: string): Promise<string> {
  const response = await clientOf(apiUrl).request('/agent/schedules', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, cron_schedule: '0 0 29 2 *', prompt: 'x' }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** Returns the number of runs of each schedule, by its ID. */
async function countRuns(db: Db): Promise<Map<string, number>> {
  const rows = await db.selectFrom('service_runs').select('schedule_json').execute();
  const ids = rows.map((row) => JSON.parse(row.schedule_json ?? '').schedule_id as string);
  return new Map(ids.map((id) => [id, ids.filter((each) => each === id).length]));
}

it('a due time starts one run, whenever the service is killed', async () => {
  const dataDir = temporaryFolder();
  const environments = [shellEnvironment('true', { repositories: [] })];
  writeFileSync(join(dataDir, 'environments.json'), JSON.stringify(environments));
  let service = await startServiceProcess(dataDir, '');
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1)
    ids.push(await createSchedule(service.apiUrl, `n${number}`));
  await service.kill();

  const db = await openTestDatabase(`sqlite:${join(dataDir, 'service.db')}`);
  for (const id of ids) await createSchedules(db).change(id, { nextAt: Date.now() - 60_000 });
  // Kill after more runs in each round. Leases of a killed service last, so the clock of the next one is moved.
  for (let least = 1; least <= count; least += 6) {
    service = await startServiceProcess(dataDir, '');
    await expect.poll(async () => (await countRuns(db)).size).toBeGreaterThanOrEqual(least);
    await service.kill();
    await db.updateTable('service_schedules').set({ lease_until: 0 }).execute();
  }
  service = await startServiceProcess(dataDir, '');
  await expect.poll(async () => (await countRuns(db)).size).toBe(count);
  expect(new Set((await countRuns(db)).values())).toEqual(new Set([1]));
  for (const id of ids) expect((await createSchedules(db).find(id))?.lastRunId).not.toBeNull();
  await service.kill();
  await db.destroy();
});
