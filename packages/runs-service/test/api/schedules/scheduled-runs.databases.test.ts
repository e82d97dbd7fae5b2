import type { ListRunsResponse, Run } from 'runs-client/contract';
import type { Schedule } from 'runs-client/schedule';
import { expect, it, onTestFinished } from 'vitest';
import { createSchedules } from '../../../src/store/schedules.ts';
import { createDatabase, openTestDatabase } from '../../support/databases.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
} from '../../support/runs-service.ts';

/** Rarely due, so that only the due times of the test start runs. */
const rare = { name: 'Leap', cron_schedule: '0 0 29 2 *', prompt: 'Count the days' };

async function createSchedule({ request }: StartedService): Promise<Schedule> {
  const response = await request('/agent/schedules', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...rare, metadata: { year: '2028' } }),
  });
  return (await response.json()) as Schedule;
}

const readSchedule = async ({ request }: StartedService, id: string) =>
  (await (await request(`/agent/schedules/${id}`)).json()) as Schedule;

async function listRuns({ request }: StartedService): Promise<Run[]> {
  const response = await request('/agent/runs?source=SCHEDULED_AGENT&limit=100');
  return ((await response.json()) as ListRunsResponse).runs;
}

it('a due schedule starts a run that says where it comes from', async () => {
  const db = await openTestDatabase(await createDatabase(temporaryFolder()));
  onTestFinished(() => db.destroy());
  const service = await startRunsService({ environments: [shellEnvironment('cat')], db });
  const { id } = await createSchedule(service);
  await createSchedules(db).change(id, { nextAt: Date.now() - 1_000 });
  const isOver = async () => (await listRuns(service)).map(({ state }) => state);
  await expect.poll(isOver).toEqual(['SUCCEEDED']);
  const [run] = await listRuns(service);
  expect(run).toMatchObject({
    title: 'Leap',
    prompt: 'Count the days',
    source: 'SCHEDULED_AGENT',
    creator: { uid: 'ada' },
    metadata: { year: '2028' },
    schedule: { schedule_id: id, schedule_name: 'Leap', cron_schedule: '0 0 29 2 *' },
  });
  expect(await readSchedule(service, id)).toMatchObject({
    last_spawn_error: null,
    history: { last_ran: run?.created_at, next_run: '2028-02-29T00:00:00.000Z' },
  });
});

it('a paused schedule starts nothing until it is resumed, and a deleted one nothing at all', async () => {
  const db = await openTestDatabase(await createDatabase(temporaryFolder()));
  onTestFinished(() => db.destroy());
  const service = await startRunsService({ environments: [shellEnvironment('cat')], db });
  const [paused, deleted, other] = [
    await createSchedule(service),
    await createSchedule(service),
    await createSchedule(service),
  ];
  await service.request(`/agent/schedules/${paused.id}/pause`, { method: 'POST' });
  await service.request(`/agent/schedules/${deleted.id}`, { method: 'DELETE' });
  const schedules = createSchedules(db);
  for (const { id } of [paused, deleted, other])
    await schedules.change(id, { nextAt: Date.now() - 1_000 });
  await expect.poll(async () => (await listRuns(service)).length).toBe(1);
  await service.request(`/agent/schedules/${paused.id}/resume`, { method: 'POST' });
  expect((await readSchedule(service, paused.id)).history?.next_run).toMatch(/^2028/);
  expect((await listRuns(service)).map(({ schedule }) => schedule?.schedule_id)).toEqual([
    other.id,
  ]);
});
