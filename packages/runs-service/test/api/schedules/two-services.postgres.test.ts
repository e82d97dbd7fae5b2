import { expect, it, onTestFinished } from 'vitest';
import { createSchedules } from '../../../src/store/schedules.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

it('a due time starts one run with two services on one PostgreSQL, also while one stops', async () => {
  const url = await createPostgresDatabase();
  const open = async () => {
    const db = await openTestDatabase(url);
    onTestFinished(() => db.destroy());
    return db;
  };
  const environments = [shellEnvironment('true', { repositories: [] })];
  const [db, otherDb] = [await open(), await open()];
  const one = await startRunsService({ environments, db });
  const two = await startRunsService({ environments, db: otherDb });
  const schedules = createSchedules(db);
  const ids: string[] = [];
  for (let number = 0; number < 40; number += 1) {
    const response = await (number % 2 === 0 ? one : two).request('/agent/schedules', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `n${number}`, cron_schedule: '0 0 29 2 *', prompt: 'x' }),
    });
    ids.push(((await response.json()) as { id: string }).id);
  }
  for (const id of ids) await schedules.change(id, { nextAt: Date.now() - 60_000 });
  const started = async () => {
    const rows = await db.selectFrom('service_runs').select('schedule_json').execute();
    return rows.map((row) => JSON.parse(row.schedule_json ?? '').schedule_id as string);
  };
  await expect.poll(async () => (await started()).length).toBeGreaterThan(0);
  await one.service.stop();
  await expect.poll(async () => new Set(await started()).size).toBe(ids.length);
  expect((await started()).toSorted()).toEqual(ids.toSorted());
});
