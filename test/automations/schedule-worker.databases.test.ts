import { nextTime } from 'base/schedule/cron';
import { expect, it } from 'vitest';
import type { ScheduleQueue } from '../../src/automations/port.ts';
import { createScheduleQueue } from '../../src/store/automations/schedule-queue.ts';
import { aDefinition, everyMorning } from '../support/automations.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { useAutomations } from './automation-bed.ts';

const until = { timeout: 10_000, interval: 20 };
const minutely = aDefinition({
  trigger: { kind: 'schedule', cron: '* * * * *', timeZone: 'UTC', overlap: 'skip' },
});
const minuteMs = 60_000;

describeOnDatabase('a schedule', (database) => {
  const bed = useAutomations(database);
  const { create, history, replica, requests, store } = bed;
  const found = async () => store().automations.find('T1', 'a1');
  const nextMinute = () => Math.ceil((Date.now() + 1) / minuteMs) * minuteMs;
  const lastMinute = () => nextMinute() - minuteMs;

  it('fires once at its due time, with any number of replicas', async () => {
    const due = lastMinute();
    await create({ definition: minutely, nextAt: due });
    for (let number = 0; number < 3; number += 1) replica();
    await expect.poll(history, until).toContain(`at ${due}: started`);
    expect((await history()).filter((line) => line.startsWith(`at ${due}:`))).toHaveLength(1);
    expect((await found())?.nextAt).toBeGreaterThan(due);
    expect((await requests()).length).toBeLessThanOrEqual(2);
  });

  it('fires once for the last hour of an outage, and notes the rest as missed', async () => {
    const hours = aDefinition({ trigger: { ...everyMorning, cron: '0 * * * *', timeZone: 'UTC' } });
    const hourMs = 60 * minuteMs;
    const last = Math.floor(Date.now() / hourMs) * hourMs;
    const first = last - 5 * hourMs;
    await create({ definition: hours, nextAt: first });
    const { fired } = replica();
    await expect.poll(history, until).toEqual([`missed ${first}: missed`, `at ${last}: started`]);
    const viewer = { teamId: 'T1', userId: 'U1' };
    const [, missed] = await store().firings.history(viewer, 'a1', { limit: 2 });
    expect(missed?.firing.content.fired).toEqual({
      kind: 'schedule',
      count: 5,
      lastAt: last - hourMs,
    });
    expect(fired).toContainEqual({ trigger: 'schedule', outcome: 'missed' });
    expect(await found()).toMatchObject({ nextAt: last + hourMs });
  });

  it('continues within a day after a clock was a year ahead', async () => {
    const yearMs = 365 * 24 * 60 * minuteMs;
    await create({ definition: minutely, nextAt: nextMinute() + yearMs });
    const dueAt = database().selectFrom('automations').select('due_at');
    const stored = await dueAt.executeTakeFirstOrThrow();
    expect(stored.due_at).toBeLessThan(Date.now() + 24 * 60 * minuteMs + 10_000);
    await database().updateTable('automations').set({ due_at: 1 }).execute();
    replica();
    await expect
      .poll(async () => (await found())?.nextAt, until)
      .toBeLessThan(Date.now() + yearMs / 2);
    expect(await found()).toMatchObject({ pause: null });
    const isSoon = async () => ((await dueAt.executeTakeFirst())?.due_at ?? 0) > 1;
    await expect.poll(isSoon, until).toBe(true);
    expect((await dueAt.executeTakeFirst())?.due_at).toBeLessThan(nextMinute() + 2 * minuteMs);
  });

  it('fires nothing while it is paused, and continues with the next due time', async () => {
    await create({ definition: minutely, nextAt: lastMinute() });
    await store().automations.pause('a1', { code: 'person', sentence: '', by: 'U1', at: 1 });
    const { schedules } = replica();
    schedules.wake();
    const next = nextTime({ cron: '* * * * *', timeZone: 'UTC' }, Date.now() + minuteMs) ?? 0;
    await store().automations.resume('a1', next, 'U1');
    await expect.poll(() => schedules.askedAt, until).toBeGreaterThan(Date.now());
    expect(await history()).toEqual([]);
    expect(await found()).toMatchObject({ nextAt: next });
  });

  it('is stored once by two replicas that both hold it, as after a frozen process', async () => {
    const due = lastMinute();
    await create({ definition: minutely, nextAt: due });
    const queue = createScheduleQueue(database());
    const [frozen] = await queue.claim('frozen', 0, 1);
    const [taken] = await queue.claim('other', 60_000, 1);
    if (!frozen || !taken) throw new Error('not claimed');
    const fire = (by: Parameters<ScheduleQueue['fire']>[0]) =>
      queue.fire(by, { fireAt: due, missed: undefined, nextAt: due + minuteMs });
    expect(await fire(taken)).toBe(true);
    expect(await fire(taken)).toBe(false);
    expect(await fire(frozen)).toBe(false);
    expect(await history()).toEqual([`at ${due}: waiting`]);
    const lost = { lease: frozen, changes: undefined, dueAt: 1 };
    expect(await queue.release([lost])).toEqual(['a1']);
  });

  it('is due again after a crash between its firing and the release, and fires nothing twice', async () => {
    const due = lastMinute();
    await create({ definition: minutely, nextAt: due });
    const queue = createScheduleQueue(database());
    const [crashed] = await queue.claim('crashed', 0, 1);
    if (!crashed) throw new Error('not claimed');
    await queue.fire(crashed, { fireAt: due, missed: undefined, nextAt: due + minuteMs });
    replica();
    await expect.poll(history, until).toContain(`at ${due}: started`);
    expect((await history()).filter((line) => line.startsWith(`at ${due}:`))).toHaveLength(1);
  });
});
