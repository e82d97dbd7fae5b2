import { beforeEach, expect, it } from 'vitest';
import { createRequestLeases } from '../../src/store/request-leases.ts';
import type { NewRequest } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { aRun } from '../support/builders.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';

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
    const run = aRun({ some_new_field: { deep: true } });
    const problem = { code: 'connection', message: 'refused', since: 5 };
    await requests().record('T1-V1', { step: 'following', runId: run.run_id, run, problem });
    const found = await requests().find('T1-V1');
    expect(found).toMatchObject({ config: newRequest().config, run, problem, runId: 'run-1' });
    await requests().record('T1-V1', { problem: null });
    expect(await requests().find('T1-V1')).toMatchObject({ problem: null, run });
  });

  it('lists the newest first, of one creator or of everyone, of one team only', async () => {
    await requests().accept(newRequest({ id: 'a', acceptedAt: 1 }));
    await requests().accept(newRequest({ id: 'b', acceptedAt: 3, creatorId: 'U2' }));
    await requests().accept(newRequest({ id: 'c', acceptedAt: 2 }));
    await requests().accept(newRequest({ id: 'd', acceptedAt: 9, teamId: 'T2' }));
    const ids = async (filter: { creatorId?: string; limit: number }) =>
      (await requests().recent({ teamId: 'T1', ...filter })).map(({ id }) => id);
    expect(await ids({ limit: 10 })).toEqual(['b', 'c', 'a']);
    expect(await ids({ limit: 10, creatorId: 'U1' })).toEqual(['c', 'a']);
    expect(await ids({ limit: 1 })).toEqual(['b']);
  });

  it('leases a due request to one owner at a time, until the lease has run out', async () => {
    await requests().accept(newRequest());
    const claim = (owner: string, now: number) =>
      leases().claim({ now, owner, leaseUntil: now + 100, limit: 10 });
    expect(await claim('early', 999)).toHaveLength(0);
    expect(await claim('first', 1_000)).toHaveLength(1);
    expect(await claim('second', 1_050)).toHaveLength(0);
    expect(await claim('second', 1_100)).toHaveLength(1);
  });

  it('a lease that was renewed is not taken over', async () => {
    await requests().accept(newRequest());
    await leases().claim({ now: 1_000, owner: 'first', leaseUntil: 1_100, limit: 10 });
    await leases().renew('first', 2_000);
    const taken = await leases().claim({
      now: 1_500,
      owner: 'second',
      leaseUntil: 9_999,
      limit: 10,
    });
    expect(taken).toHaveLength(0);
  });

  it('only the holder of the lease can give a request back', async () => {
    await requests().accept(newRequest());
    await leases().claim({ now: 1_000, owner: 'first', leaseUntil: 1_100, limit: 10 });
    await leases().release('T1-V1', 'somebody else', 5_000);
    expect(await leases().nextDueAt(1_050)).toBeUndefined();
    await leases().release('T1-V1', 'first', 5_000);
    expect(await leases().nextDueAt(1_050)).toBe(5_000);
  });

  it('takes up a request that was not started, once for two clicks', async () => {
    await requests().accept(newRequest());
    await leases().claim({ now: 1_000, owner: 'first', leaseUntil: 1_100, limit: 10 });
    await requests().record('T1-V1', { step: 'not_started' });
    const clicks = [requests().tryAgain('T1-V1', 2_000), requests().tryAgain('T1-V1', 2_000)];
    expect((await Promise.all(clicks)).sort()).toEqual([false, true]);
    await leases().release('T1-V1', 'first', null);
    expect(await leases().nextDueAt(2_000)).toBe(2_000);
  });

  it('takes up nothing that has started or never was', async () => {
    await requests().accept(newRequest());
    expect(await requests().tryAgain('T1-V1', 2_000)).toBe(false);
    expect(await requests().tryAgain("' or 1=1 --", 2_000)).toBe(false);
  });
});
