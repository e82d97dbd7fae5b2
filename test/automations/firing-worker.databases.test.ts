import { expect, it } from 'vitest';
import { aDefinition, everyMorning } from '../support/automations.ts';
import { describeOnDatabase } from '../support/database/databases.ts';
import { type Start, useAutomations } from './automation-bed.ts';

const until = { timeout: 10_000, interval: 20 };
const failing: Start = async () => ({ outcome: 'failed', sentence: 'Its preset was deleted.' });

describeOnDatabase('what fired an automation', (database) => {
  const bed = useAutomations(database);
  const { create, fire, history, makeDue, moveRequests, replica, requests, store } = bed;
  const isOver = async () => (await history()).every((line) => !line.endsWith(': waiting'));
  const over = () => expect.poll(isOver, until).toBe(true);
  const found = async () => store().automations.find('T1', 'a1');

  it('starts one run, with any number of replicas', async () => {
    await create();
    const [one, other] = [replica(), replica()];
    await Promise.all([fire('1'), fire('1'), fire('2')]);
    one.firings.wake();
    other.firings.wake();
    await over();
    expect(await history()).toEqual(['1: started', '2: started']);
    expect(await requests()).toHaveLength(2);
    const reported = () => [...one.fired, ...other.fired];
    await expect.poll(reported, until).toEqual([
      { trigger: 'test', outcome: 'started' },
      { trigger: 'test', outcome: 'started' },
    ]);
  });

  it('starts one run if two things with the same start key fire it', async () => {
    await create();
    await fire('by U1', { startKey: 'eyes' });
    await fire('by U2', { startKey: 'eyes' });
    replica();
    await over();
    expect(await history()).toEqual(['by U1: started', 'by U2: started']);
    expect(await requests()).toHaveLength(1);
  });

  it('starts the run for an allowed person after a denied one', async () => {
    const start: Start = async ({ firing }, accept) => {
      if (firing.id.endsWith('U1'))
        return { outcome: 'skipped', sentence: "<@U1> can't start runs." };
      await accept();
      return { outcome: 'started' };
    };
    await create();
    await fire('by U1', { startKey: 'eyes', happenedAt: Date.now() - 2 });
    await fire('by U2', { startKey: 'eyes', happenedAt: Date.now() - 1 });
    replica({ start });
    await over();
    expect(await history()).toEqual(["by U1: skipped, <@U1> can't start runs.", 'by U2: started']);
  });

  it('starts nothing while the automation is paused, and after it was deleted', async () => {
    await create();
    await store().automations.pause('a1', { code: 'person', sentence: '', by: 'U1', at: 1 });
    await fire('paused');
    await fire('deleted', { automationId: 'gone' });
    replica();
    await over();
    await expect
      .poll(() => history('gone'), until)
      .toEqual(['deleted: skipped, The automation was deleted.']);
    expect(await history()).toEqual(['paused: skipped, The automation is paused.']);
    expect(await requests()).toEqual([]);
  });

  it('starts nothing if it is paused while its run is being started', async () => {
    await create();
    await fire('1');
    const start: Start = async (_, accept) => {
      await store().automations.pause('a1', { code: 'person', sentence: '', by: 'U1', at: 1 });
      await accept();
      return { outcome: 'started' };
    };
    const { fired } = replica({ start });
    await over();
    expect(await history()).toEqual(['1: skipped, The automation is paused.']);
    expect(await requests()).toEqual([]);
    expect(fired).toEqual([{ trigger: 'test', outcome: 'skipped' }]);
  });

  it('starts as the new owner in the new channel if it is taken over meanwhile', async () => {
    await create();
    await fire('1');
    const next = { name: 'Moved', channelId: 'C2', ownerId: 'U2', definition: aDefinition() };
    const start: Start = async (_, accept) => {
      await store().automations.change('a1', 0, { ...next, nextAt: null }, 'U2');
      await accept();
      return { outcome: 'started' };
    };
    replica({ start });
    const started = () =>
      database().selectFrom('requests').select(['creator_id', 'channel_id']).execute();
    await expect.poll(started, until).toEqual([{ creator_id: 'U2', channel_id: 'C2' }]);
    // People in the new channel don't see what fired it in the earlier one.
    expect(await history()).toEqual([]);
  });

  it('starts as many runs as its limits say, and the history shows the rest', async () => {
    await create({ definition: aDefinition({ startsPerHour: 5, activeRuns: 100 }) });
    await Promise.all(Array.from({ length: 30 }, (_, index) => fire(`${index}`)));
    replica();
    replica();
    await over();
    const lines = await history();
    expect(lines.filter((line) => line.endsWith('started'))).toHaveLength(5);
    expect(
      lines.filter((line) => line.endsWith('skipped, Limit of 5 starts an hour reached.')),
    ).toHaveLength(25);
    expect(await requests()).toHaveLength(5);
    await database()
      .updateTable('automation_firings')
      .set({ counted_at: 1 })
      .where('counted_at', 'is not', null)
      .execute();
    await fire('an hour later');
    await expect.poll(history, until).toContain('an hour later: started');
  });

  it('keeps to the limit of active runs, and to the maximum of the rules', async () => {
    await create({ definition: aDefinition({ startsPerHour: 20, activeRuns: 2 }) });
    await Promise.all(['1', '2', '3', '4'].map((key) => fire(key)));
    replica({ maxStartsPerHour: 3 });
    await over();
    const reached = (await history()).filter((line) =>
      line.includes('Limit of 2 active runs reached.'),
    );
    expect(reached).toHaveLength(2);
    await moveRequests('ended');
    await fire('5');
    await expect.poll(history, until).toContain('5: started');
    await moveRequests('ended');
    await fire('6');
    await expect.poll(history, until).toContain('6: skipped, Limit of 3 starts an hour reached.');
  });

  it('does not count what its filter rejects', async () => {
    const field = { field: 'action', is: 'equals', text: 'labeled' } as const;
    const trigger = { kind: 'webhook', sender: 'github', filter: [[field]] } as const;
    await create({
      definition: aDefinition({ trigger: { ...trigger, filter: [[field]] }, startsPerHour: 1 }),
    });
    const delivery = (id: string, action: string) =>
      fire(id, { fired: { kind: 'webhook', deliveryId: id } }, JSON.stringify({ action }));
    await delivery('1', 'closed');
    await delivery('2', 'closed');
    await delivery('3', 'labeled');
    const payloads: unknown[] = [];
    replica({
      start: async ({ payload }, accept) => {
        payloads.push(payload);
        await accept();
        return { outcome: 'started' };
      },
    });
    await over();
    expect(await history()).toEqual(['1: unmatched', '2: unmatched', '3: started']);
    expect(payloads).toEqual([{ action: 'labeled' }]);
    expect(await store().firings.deliveries('a1', 2)).toMatchObject([
      { firing: { id: 'a1 3' } },
      { firing: { id: 'a1 2' } },
    ]);
  });

  it('pauses it after five failed starts in a row, and tells its owner and channel once', async () => {
    await create({ definition: aDefinition({ activeRuns: 10 }) });
    await Promise.all(['1', '2', '3', '4', '5'].map((key) => fire(key)));
    replica({ start: failing });
    await over();
    await fire('6');
    await over();
    expect(await found()).toMatchObject({
      pause: { code: 'failures', by: 'system' },
      failedStarts: 5,
    });
    const lines = await history();
    expect(lines.filter((line) => line.includes('failed, Its preset was deleted.'))).toHaveLength(
      5,
    );
    expect(
      lines.filter((line) => line.includes('skipped, The automation is paused.')),
    ).toHaveLength(1);
    const posts = await database().selectFrom('outbox').select('kind').execute();
    expect(posts).toEqual([{ kind: 'automation-notice' }, { kind: 'automation-notice' }]);
  });

  it('counts a run that the service rejects later as a failed start, and forgets failures after a start', async () => {
    await create({ definition: aDefinition({ activeRuns: 10 }) });
    replica();
    await fire('1');
    await expect.poll(history, until).toEqual(['1: started']);
    await moveRequests('not_started', 'The environment <shop> is unknown.');
    await makeDue();
    await expect
      .poll(history, until)
      .toEqual(['1: failed, The environment &lt;shop&gt; is unknown.']);
    expect(await found()).toMatchObject({ failedStarts: 1 });
    await fire('2');
    await expect.poll(history, until).toContain('2: started');
    await database()
      .updateTable('requests')
      .set({ step: 'following' })
      .where('step', '=', 'accepted')
      .execute();
    await makeDue();
    await expect.poll(found, until).toMatchObject({ failedStarts: 0 });
    await expect
      .poll(
        async () =>
          (
            await database()
              .selectFrom('automation_firings')
              .select('id')
              .where('due_at', 'is not', null)
              .execute()
          ).length,
        until,
      )
      .toBe(0);
  });

  it('pauses it at once if its owner is not allowed to start runs', async () => {
    await create({ nextAt: Date.now() + 60_000 });
    await fire('1');
    replica({ start: async () => ({ outcome: 'not allowed', sentence: '<@U1> is deactivated.' }) });
    await over();
    expect(await history()).toEqual(['1: failed, <@U1> is deactivated.']);
    expect(await found()).toMatchObject({
      pause: { code: 'owner', sentence: '<@U1> is deactivated.' },
      nextAt: null,
      failedStarts: 0,
    });
  });

  it('tries again while Slack is silent, and after an error', async () => {
    let calls = 0;
    const start: Start = async (_, accept) => {
      calls += 1;
      if (calls === 1) return { outcome: 'later', againAt: Date.now() };
      if (calls === 2) throw new Error('unexpected');
      await accept();
      return { outcome: 'started' };
    };
    await create();
    await fire('1');
    replica({ start });
    await over();
    expect(await history()).toEqual(['1: started']);
    expect(calls).toBe(3);
    expect(await found()).toMatchObject({ pause: null });
  });

  it('skips a due time while the last run is in progress', async () => {
    await create();
    replica();
    await fire('at 1', { happenedAt: Date.now(), fired: { kind: 'schedule' } });
    await over();
    await fire('at 2', { happenedAt: Date.now() + 1, fired: { kind: 'schedule' } });
    await over();
    expect(await history()).toEqual([
      'at 1: started',
      'at 2: skipped, The last run is still in progress.',
    ]);
  });

  it('queues one due time until the last run ends', async () => {
    await create({ definition: aDefinition({ trigger: { ...everyMorning, overlap: 'queue' } }) });
    replica();
    const startedAt = Date.now();
    const due = (number: number) =>
      fire(`at ${number}`, { happenedAt: startedAt + number, fired: { kind: 'schedule' } });
    await due(1);
    await over();
    await due(2);
    await expect
      .poll(
        async () =>
          (
            await database()
              .selectFrom('automation_firings')
              .select('due_at')
              .where('id', '=', 'a1 at 2')
              .executeTakeFirstOrThrow()
          ).due_at ?? 0,
        until,
      )
      .toBeGreaterThan(Date.now() + 5_000);
    await due(3);
    await expect
      .poll(history, until)
      .toEqual([
        'at 1: started',
        'at 2: waiting',
        'at 3: skipped, An earlier start is waiting for the last run.',
      ]);
    await moveRequests('ended');
    await makeDue();
    await over();
    expect((await history())[1]).toBe('at 2: started');
    expect(await requests()).toHaveLength(2);
  });
});
