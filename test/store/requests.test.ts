import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { createFollowedRunsStore } from '../../src/store/followed-runs.ts';
import { createRequestLeases, LeaseLost } from '../../src/store/request-leases.ts';
import type { NewRequest } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { aRun } from '../support/builders.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';

const hourMs = 3_600_000;

const newRequest = (changes: Partial<NewRequest> = {}): NewRequest => ({
  id: 'T1-V1',
  teamId: 'T1',
  creatorId: 'U1',
  channelId: 'C1',
  prompt: 'count',
  title: 'Count',
  config: { model_id: 'small', mcp_servers: { docs: { url: 'https://mcp.example.com' } } },
  acceptedAt: 1_000,
  ...changes,
});

describeOnEveryDatabase('the store of requests', (database) => {
  const requests = () => createRequests(database());
  const leases = () => createRequestLeases(database());
  const followed = () => createFollowedRunsStore(database());
  const claimOne = async (owner: string, leaseMs = hourMs) => {
    const [request] = await leases().claim(owner, leaseMs, 1);
    if (!request) throw new Error('nothing is due');
    return request;
  };
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
  });

  it('accepts a request once, however often it is delivered', async () => {
    expect(await requests().accept(newRequest())).toBe(true);
    expect(await requests().accept(newRequest({ prompt: 'another' }))).toBe(false);
    expect(await requests().find('T1-V1')).toMatchObject({ prompt: 'count', step: 'accepted' });
  });

  it('gives back what was stored, the configuration and the run whole', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    const run = aRun({ some_new_field: { deep: true } });
    const problem = { code: 'connection', message: 'refused', since: 5 };
    await leases().record(lease, { step: 'following', runId: run.run_id, run, problem });
    const found = await requests().find('T1-V1');
    expect(found).toMatchObject({ config: newRequest().config, run, problem, runId: 'run-1' });
    await leases().record(lease, { problem: null });
    expect(await requests().find('T1-V1')).toMatchObject({ problem: null, run });
  });

  it('keeps what follows a character that databases cannot keep', async () => {
    await requests().accept(newRequest({ prompt: 'before\u0000after', title: '\u0000Title' }));
    expect(await requests().find('T1-V1')).toMatchObject({ prompt: 'beforeafter', title: 'Title' });
  });

  it('leases a due request to one owner at a time', async () => {
    await requests().accept(newRequest());
    expect(await leases().claim('first', hourMs, 10)).toHaveLength(1);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
  });

  it('leases nothing that is not due', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().release([{ lease, changes: {}, dueAt: Date.now() + hourMs }]);
    expect(await leases().claim('first', hourMs, 10)).toHaveLength(0);
    expect(await leases().nextDueInMs()).toBeGreaterThan(hourMs / 2);
  });

  it('a lease that has run out goes to another, and the first can write no more', async () => {
    await requests().accept(newRequest());
    const paused = await claimOne('first', -1);
    const taken = await claimOne('second');
    await expect(leases().check(paused)).rejects.toThrow(LeaseLost);
    await expect(leases().record(paused, { step: 'posted' })).rejects.toThrow(LeaseLost);
    await leases().release([{ lease: paused, changes: {}, dueAt: Date.now() }]);
    expect(await leases().claim('third', hourMs, 10)).toHaveLength(0);
    await leases().record(taken, { step: 'posted' });
    expect(await requests().find('T1-V1')).toMatchObject({ step: 'posted' });
  });

  it('a lease that was renewed is not taken over', async () => {
    await requests().accept(newRequest());
    await claimOne('first', -1);
    await leases().renew('first', hourMs, ['T1-V1']);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
  });

  it('a lease that could not be given back runs out, although its owner is busy with others', async () => {
    await requests().accept(newRequest({ id: 'finished' }));
    await requests().accept(newRequest({ id: 'under work' }));
    await leases().claim('first', -1, 10);
    await leases().renew('first', hourMs, ['under work']);
    const [taken, ...more] = await leases().claim('second', hourMs, 10);
    expect([taken?.id, more]).toEqual(['finished', []]);
  });

  it('is due again when it was released, at the time that was said', async () => {
    await requests().accept(newRequest());
    await leases().release([
      { lease: await claimOne('first'), changes: {}, dueAt: Date.now() + hourMs },
    ]);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
    expect(await leases().nextDueInMs()).toBeGreaterThan(hourMs / 2);
    expect(await leases().nextDueInMs()).toBeLessThanOrEqual(hourMs);
  });

  it('is due sooner when news came while it was leased', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1', run: aRun() });
    await followed().deliverUpdates([
      aRun({ state: 'SUCCEEDED', updated_at: '2026-11-01T12:00:05Z' }),
    ]);
    await leases().release([{ lease, changes: {}, dueAt: Date.now() + hourMs }]);
    const again = await claimOne('second');
    expect(again).toMatchObject({ pendingUpdate: { state: 'SUCCEEDED' } });
  });

  it('keeps news that came while older news were taken over', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    const started = aRun({ updated_at: '2026-11-01T12:00:05Z' });
    const ended = aRun({ state: 'SUCCEEDED', updated_at: '2026-11-01T12:00:06Z' });
    await followed().deliverUpdates([started]);
    await followed().deliverUpdates([ended]);
    await leases().record(lease, { run: started, appliedUpdate: started });
    expect(await requests().find('T1-V1')).toMatchObject({ pendingUpdate: { state: 'SUCCEEDED' } });
    await leases().record(lease, { run: ended, appliedUpdate: ended });
    expect(await requests().find('T1-V1')).toMatchObject({ pendingUpdate: null });
  });

  it('of two news with the same time the later counts', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    await followed().deliverUpdates([aRun()]);
    await followed().deliverUpdates([aRun({ state: 'SUCCEEDED' })]);
    expect(await requests().find('T1-V1')).toMatchObject({ pendingUpdate: { state: 'SUCCEEDED' } });
  });

  it('keeps news of the same time that came while others were taken over', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    await followed().deliverUpdates([aRun()]);
    const taken = (await requests().find('T1-V1'))?.pendingUpdate;
    await followed().deliverUpdates([aRun({ state: 'SUCCEEDED' })]);
    if (taken) await leases().record(lease, { run: taken, appliedUpdate: taken });
    const ended = (await requests().find('T1-V1'))?.pendingUpdate;
    expect(ended).toMatchObject({ state: 'SUCCEEDED' });
    if (ended) await leases().record(lease, { run: ended, appliedUpdate: ended });
    expect(await requests().find('T1-V1')).toMatchObject({ pendingUpdate: null });
  });

  it('takes news of as many runs as a service puts on one page', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-29999' });
    await followed().deliverUpdates(
      Array.from({ length: 30_000 }, (_, index) => aRun({ run_id: `run-${index}` })),
    );
    expect((await requests().find('T1-V1'))?.pendingUpdate).not.toBeNull();
  });

  it('takes news of a run whatever stands beside it in the list', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    await followed().deliverUpdates([aRun({ run_id: 'odd\u0000' }), aRun({ state: 'BLOCKED' })]);
    expect(await requests().find('T1-V1')).toMatchObject({ pendingUpdate: { state: 'BLOCKED' } });
  });

  it('keeps a run whose state and configuration fit into no column', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    const odd = `odd\u0000${randomBytes(5_000).toString('hex')}`;
    const run = aRun({ state: odd, agent_config: { environment_id: odd, name: odd } });
    await leases().record(lease, { step: 'following', runId: run.run_id, run });
    expect(await requests().find('T1-V1')).toMatchObject({ run: { state: odd } });
  });

  it('ended requests are leased before others: people wait for the end', async () => {
    await requests().accept(newRequest({ id: 'going', acceptedAt: 1 }));
    await requests().accept(newRequest({ id: 'ended', acceptedAt: 2 }));
    for (const lease of await leases().claim('first', hourMs, 10)) {
      if (lease.id === 'ended') await leases().record(lease, { step: 'ended', endedAt: 3 });
      await leases().release([{ lease, changes: {}, dueAt: 5 }]);
    }
    expect((await leases().claim('second', hourMs, 1)).map(({ id }) => id)).toEqual(['ended']);
  });

  it('takes up a request that was not started, once for two clicks', async () => {
    await requests().accept(newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'not_started' });
    const clicks = [requests().tryAgain('T1-V1'), requests().tryAgain('T1-V1')];
    expect((await Promise.all(clicks)).sort()).toEqual([false, true]);
    await leases().release([{ lease, changes: {}, dueAt: null }]);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(1);
  });

  it('takes up nothing that has started or never was', async () => {
    await requests().accept(newRequest());
    expect(await requests().tryAgain('T1-V1')).toBe(false);
    expect(await requests().tryAgain("' or 1=1 --")).toBe(false);
  });
});
