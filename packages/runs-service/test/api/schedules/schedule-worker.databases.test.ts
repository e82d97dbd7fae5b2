import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createKeyStore } from '../../../src/store/key-store.ts';
import { describeOnDatabase } from '../../support/databases.ts';
import { scheduleBed } from './schedule-bed.ts';

const hourMs = 3_600_000;
const now = Date.parse('2028-02-29T09:20:00.000Z');
/** Time of the newest full hour. Schedules in these tests are due then. */
const lastHour = Date.parse('2028-02-29T09:00:00.000Z');
const iso = (at: number) => new Date(at).toISOString();

/** Stops the clock of this process on a leap day. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => void vi.useRealTimers());

describeOnDatabase('a due schedule', (db) => {
  it('starts a run as its owner, with its name, metadata and source', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(lastHour);
    bed.startWorker();
    const after = await bed.settled(id);
    const [run, ...more] = await bed.runsOf(id);
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      title: 'Hourly',
      prompt: 'Tidy up',
      source: 'SCHEDULED_AGENT',
      environment_id: 'shell',
      creator_uid: 'ada',
      key_uid: 'user ada',
      metadata_json: '{"team":"blue"}',
      state: 'QUEUED',
    });
    expect(JSON.parse(run?.schedule_json ?? '')).toEqual({
      schedule_id: id,
      schedule_name: 'Hourly',
      cron_schedule: '0 * * * *',
    });
    expect(after).toMatchObject({
      lastRunId: run?.id,
      lastRanAt: run?.created_at,
      lastError: null,
      nextAt: lastHour + hourMs,
    });
  });

  it('starts one run for each due time, with several services at once', async () => {
    const bed = scheduleBed(db());
    const ids: string[] = [];
    for (let number = 0; number < 30; number += 1) ids.push(await bed.add(lastHour));
    for (let number = 0; number < 3; number += 1) bed.startWorker();
    for (const id of ids) await bed.settled(id);
    for (const id of ids) expect(await bed.runsOf(id)).toHaveLength(1);
  });

  it('starts nothing twice if the clock of one service is set back', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(lastHour);
    bed.startWorker();
    await bed.settled(id);
    // A service with a slow clock finds the due time again after someone paused and resumed the schedule.
    await bed.schedules.change(id, { enabled: false, nextAt: null });
    const [first] = await bed.runsOf(id);
    await bed.runs.change(first?.id ?? '', ['QUEUED'], { state: 'SUCCEEDED', ended_at: 1 });
    await bed.schedules.change(id, { enabled: true, nextAt: lastHour });
    await bed.settled(id);
    expect(await bed.runsOf(id)).toHaveLength(1);
  });

  it('skips a due time while the last run is active, and says so until the next start', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(lastHour);
    bed.startWorker();
    await bed.settled(id);
    await bed.schedules.change(id, { nextAt: lastHour + 60_000 });
    const skipped = await bed.settled(id);
    const [first] = await bed.runsOf(id);
    expect(skipped.lastError).toMatch(/because the last one was still active/);
    expect(skipped.lastRunId).toBe(first?.id);
    await bed.runs.change(first?.id ?? '', ['QUEUED'], { state: 'FAILED', ended_at: Date.now() });
    await bed.schedules.change(id, { nextAt: lastHour + 120_000 });
    expect((await bed.settled(id)).lastError).toBeNull();
    expect(await bed.runsOf(id)).toHaveLength(2);
  });

  it('continues within a day after the clock was a year ahead', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(lastHour + 365 * 24 * hourMs);
    const row = db().selectFrom('service_schedules').select('due_at').where('id', '=', id);
    const stored = await row.executeTakeFirstOrThrow();
    expect(stored.due_at ?? 0).toBeLessThan(Date.now() + (365 * 24 * hourMs) / 2);
    await db()
      .updateTable('service_schedules')
      .set({ due_at: 1, last_error: 'An earlier start failed.' })
      .where('id', '=', id)
      .execute();
    bed.startWorker();
    await expect
      .poll(async () => (await bed.read(id)).nextAt, { timeout: 10_000, interval: 20 })
      .toBe(lastHour + hourMs);
    expect(await bed.read(id)).toMatchObject({ lastError: 'An earlier start failed.' });
    expect(await bed.runsOf(id)).toEqual([]);
  });

  it('notes due times of more than an hour ago as missed', async () => {
    const bed = scheduleBed(db());
    const at = lastHour - hourMs;
    const missed = await bed.add(at, { cron: '0 8 29 2 *' });
    const hourly = await bed.add(lastHour - 3 * hourMs);
    bed.startWorker();
    expect((await bed.settled(missed)).lastError).toBe(
      `The start at ${iso(at)} was missed, because the service wasn't running.`,
    );
    expect(iso((await bed.read(missed)).nextAt ?? 0)).toBe('2032-02-29T08:00:00.000Z');
    expect(await bed.runsOf(missed)).toEqual([]);
    const { lastError } = await bed.settled(hourly);
    expect(lastError).toBe(
      `3 starts from ${iso(lastHour - 3 * hourMs)} to ${iso(lastHour - hourMs)} were missed, because the service wasn't running.`,
    );
    expect(await bed.runsOf(hourly)).toHaveLength(1);
  });

  it('starts nothing without a valid key of its owner with the same role', async () => {
    const bed = scheduleBed(db());
    const keys = createKeyStore(db());
    const bob = { type: 'user', uid: 'bob', display_name: 'Bob' };
    const add = (role: string, prefix: string) =>
      keys.add({
        key_hash: prefix,
        prefix,
        creator_type: 'user',
        creator_uid: 'bob',
        display_name: 'Bob',
        role,
      });
    await add('own', 'sar_1');
    await keys.revoke('sar_1');
    await add('read', 'sar_2');
    const bobs = { owner: { role: 'own', creator: bob }, creatorUid: 'bob' };
    const id = await bed.add(lastHour, bobs);
    bed.startWorker();
    expect((await bed.settled(id)).lastError).toContain('Bob has no valid API key');
    expect(await bed.runsOf(id)).toEqual([]);
    await add('own', 'sar_3');
    await bed.schedules.change(id, { nextAt: lastHour + 60_000 });
    expect((await bed.settled(id)).lastError).toBeNull();
    expect(await bed.runsOf(id)).toHaveLength(1);
  });

  it('says that its environment is gone, and starts the next run when it is back', async () => {
    const bed = scheduleBed(db());
    const request = { prompt: 'x', config: { environment_id: 'web' }, metadata: {} };
    const id = await bed.add(lastHour, { request });
    bed.startWorker();
    const failed = await bed.settled(id);
    expect(failed.lastError).toMatch(/environment "web" doesn't exist/);
    expect(failed.nextAt).toBe(lastHour + hourMs);
    bed.environments = [...bed.environments, { ...bed.environments[0], id: 'web' } as never];
    await bed.schedules.change(id, { nextAt: lastHour + 60_000 });
    await bed.settled(id);
    expect(await bed.runsOf(id)).toHaveLength(1);
  });
});

describeOnDatabase('a leased schedule', (db) => {
  const [due, next] = [lastHour, lastHour + hourMs];
  /** Lets leases of a millisecond expire. */
  const later = () => vi.setSystemTime(now + 1_000);

  it.each([
    ['paused', { enabled: false, nextAt: null }],
    ['changed', { request: { prompt: 'Other', metadata: {} } }],
    ['paused and resumed', { enabled: true, nextAt: next }],
  ])('starts nothing after it was %s', async (_, changes) => {
    const bed = scheduleBed(db());
    const id = await bed.add(due);
    const [leased] = await bed.schedules.claim('frozen', 60_000, 100);
    expect(leased?.id).toBe(id);
    await bed.schedules.change(id, changes);
    if (!leased) return;
    expect(await bed.schedules.settle(leased, bed.result(due, next))).toBe('not started');
    expect((await bed.read(id)).lastRunId).toBeNull();
    await bed.schedules.remove(id);
  });

  it('starts nothing after it was deleted', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(due);
    const [leased] = await bed.schedules.claim('frozen', 60_000, 100);
    await bed.schedules.remove(id);
    if (!leased) throw new Error('nothing was due');
    expect(await bed.schedules.settle(leased, bed.result(due, next))).toBe('not started');
  });

  it('starts the changed run if it was changed while it was due', async () => {
    const bed = scheduleBed(db());
    const id = await bed.add(due);
    await bed.schedules.claim('crashed', 1, 100);
    later();
    await bed.schedules.change(id, { request: { prompt: 'Other', metadata: {} } });
    bed.startWorker();
    await bed.settled(id);
    expect(await bed.runsOf(id)).toMatchObject([{ prompt: 'Other' }]);
  });

  it('passes to another service after a crash, which starts what the first one did not', async () => {
    const bed = scheduleBed(db());
    const [before, after] = [await bed.add(due), await bed.add(due)];
    const leased = await bed.schedules.claim('crashed', 1, 100);
    later();
    const done = leased.find(({ id }) => id === after);
    if (done) await bed.schedules.settle(done, bed.result(due, next));
    bed.startWorker();
    await bed.settled(before);
    expect(await bed.runsOf(before)).toHaveLength(1);
    expect((await bed.read(after)).lastRunId).not.toBeNull();
    expect(await bed.runsOf(after)).toEqual([]);
  });

  it('belongs to one service, and a frozen one that wakes up starts nothing', async () => {
    const bed = scheduleBed(db());
    await bed.add(due);
    const [frozen] = await bed.schedules.claim('frozen', 1, 100);
    later();
    const claimAgain = async () => (await bed.schedules.claim('other', 60_000, 100))[0];
    await expect.poll(bed.schedules.nextDueInMs).toBeLessThanOrEqual(0);
    const other = await claimAgain();
    if (!frozen || !other) throw new Error('nothing was due');
    const results = [bed.result(due, next), bed.result(due, next)] as const;
    const outcomes = await Promise.all([
      bed.schedules.settle(frozen, results[0]),
      bed.schedules.settle(other, results[1]),
    ]);
    expect(outcomes).toEqual(['not started', 'started']);
  });
});
