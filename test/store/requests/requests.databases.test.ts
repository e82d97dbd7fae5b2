import { randomBytes } from 'node:crypto';
import { LeaseLost } from 'base/leased-work';
import { beforeEach, expect, it } from 'vitest';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import type { NewRequest } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { aRun } from '../../support/builders.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { storedRequest } from '../../support/database/stored-request.ts';

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

describeOnDatabase('the store of requests', (database) => {
  const requests = () => createRequests(database());
  const leases = () => createRequestLeases(database());
  const stored = () => storedRequest(database(), 'T1-V1');
  const followed = () => createFollowedRunsStore(database());
  const claimOne = async (owner: string, leaseMs = hourMs) => {
    const [request] = await leases().claim(owner, leaseMs, 1);
    if (!request) throw new Error('nothing is due');
    return request;
  };
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
  });

  it('keeps what was read from Slack with secrets masked', async () => {
    const context = `in the thread: ghp_${'c0Text'.repeat(6)}`;
    await acceptDue(database(), newRequest({ context }));
    const kept = await requests().find('T1-V1');
    expect(kept?.context).toBe('in the thread: [masked secret 1]');
  });

  it('accepts a request once, however often it is delivered', async () => {
    expect(await acceptDue(database(), newRequest())).toBe(true);
    expect(await acceptDue(database(), newRequest({ prompt: 'another' }))).toBe(false);
    expect(await requests().find('T1-V1')).toMatchObject({ prompt: 'count', step: 'accepted' });
  });

  it('returns what was stored, with the whole configuration and run', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    const run = aRun({ some_new_field: { deep: true } });
    const problem = { code: 'connection', message: 'rejected', since: 5 };
    await leases().record(lease, { step: 'following', runId: run.run_id, run, problem });
    const found = await requests().find('T1-V1');
    expect(found).toMatchObject({ config: newRequest().config, run, problem, runId: 'run-1' });
    await leases().record(lease, { problem: null });
    expect(await requests().find('T1-V1')).toMatchObject({ problem: null, run });
  });

  it("keeps the text after a character that databases can't store", async () => {
    await acceptDue(database(), newRequest({ prompt: 'before\u0000after', title: '\u0000Title' }));
    expect(await requests().find('T1-V1')).toMatchObject({ prompt: 'beforeafter', title: 'Title' });
  });

  it('leases a due request to one owner at a time', async () => {
    await acceptDue(database(), newRequest());
    expect(await leases().claim('first', hourMs, 10)).toHaveLength(1);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
  });

  it("a lease that ran out goes to another replica, and the first can't write", async () => {
    await acceptDue(database(), newRequest());
    const paused = await claimOne('first', -1);
    const taken = await claimOne('second');
    await expect(leases().check(paused)).rejects.toThrow(LeaseLost);
    await expect(leases().record(paused, { step: 'posted' })).rejects.toThrow(LeaseLost);
    await leases().release([{ lease: paused, changes: {}, dueAt: Date.now() }]);
    expect(await leases().claim('third', hourMs, 10)).toHaveLength(0);
    await leases().record(taken, { step: 'posted' });
    expect(await requests().find('T1-V1')).toMatchObject({ step: 'posted' });
  });

  it("a renewed lease isn't taken over", async () => {
    await acceptDue(database(), newRequest());
    await claimOne('first', -1);
    await leases().renew('first', hourMs, ['T1-V1']);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
  });

  it("a lease that couldn't be released runs out, even if its owner is busy", async () => {
    await acceptDue(database(), newRequest({ id: 'finished' }));
    await acceptDue(database(), newRequest({ id: 'under work' }));
    await leases().claim('first', -1, 10);
    await leases().renew('first', hourMs, ['under work']);
    const [taken, ...more] = await leases().claim('second', hourMs, 10);
    expect([taken?.id, more]).toEqual(['finished', []]);
  });

  it('is due after its release at the given time', async () => {
    await acceptDue(database(), newRequest());
    await leases().release([
      { lease: await claimOne('first'), changes: {}, dueAt: Date.now() + hourMs },
    ]);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(0);
    expect(await leases().nextDueInMs()).toBeGreaterThan(hourMs / 2);
    expect(await leases().nextDueInMs()).toBeLessThanOrEqual(hourMs);
  });

  it('is due sooner if an update arrived during the lease', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1', run: aRun() });
    await followed().deliverUpdates([
      aRun({ state: 'SUCCEEDED', updated_at: '2026-11-01T12:00:05Z' }),
    ]);
    await leases().release([{ lease, changes: {}, dueAt: Date.now() + hourMs }]);
    const again = await claimOne('second');
    expect(again).toMatchObject({ pendingUpdate: { state: 'SUCCEEDED' } });
  });

  it('keeps an update that arrived while an older one was applied', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    const started = aRun({ updated_at: '2026-11-01T12:00:05Z' });
    const ended = aRun({ state: 'SUCCEEDED', updated_at: '2026-11-01T12:00:06Z' });
    await followed().deliverUpdates([started]);
    await followed().deliverUpdates([ended]);
    await leases().record(lease, { run: started, appliedUpdate: started });
    expect(await stored()).toMatchObject({ pendingUpdate: { state: 'SUCCEEDED' } });
    await leases().record(lease, { run: ended, appliedUpdate: ended });
    expect(await stored()).toMatchObject({ pendingUpdate: null });
  });

  it('keeps an update of the same time that arrived while another was applied', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    await followed().deliverUpdates([aRun()]);
    const taken = (await stored()).pendingUpdate;
    await followed().deliverUpdates([aRun({ state: 'SUCCEEDED' })]);
    if (taken) await leases().record(lease, { run: taken, appliedUpdate: taken });
    const ended = (await stored()).pendingUpdate;
    expect(ended).toMatchObject({ state: 'SUCCEEDED' });
    if (ended) await leases().record(lease, { run: ended, appliedUpdate: ended });
    expect(await stored()).toMatchObject({ pendingUpdate: null });
  });

  it('takes updates of as many runs as a service puts on a page', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-29999' });
    await followed().deliverUpdates(
      Array.from({ length: 30_000 }, (_, index) => aRun({ run_id: `run-${index}` })),
    );
    expect((await stored()).pendingUpdate).not.toBeNull();
  });

  it('takes the update of a run whatever else is in the list', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'following', runId: 'run-1' });
    await followed().deliverUpdates([aRun({ run_id: 'odd\u0000' }), aRun({ state: 'BLOCKED' })]);
    expect(await stored()).toMatchObject({ pendingUpdate: { state: 'BLOCKED' } });
  });

  it('keeps a run whose state and configuration are too long for indexes', async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    const odd = `odd\u0000${randomBytes(5_000).toString('hex')}`;
    const run = aRun({ state: odd, agent_config: { environment_id: odd, name: odd } });
    await leases().record(lease, { step: 'following', runId: run.run_id, run });
    expect(await requests().find('T1-V1')).toMatchObject({ run: { state: odd } });
  });

  it('ended requests are leased first, because people wait for the end', async () => {
    await acceptDue(database(), newRequest({ id: 'going', acceptedAt: 1 }));
    await acceptDue(database(), newRequest({ id: 'ended', acceptedAt: 2 }));
    for (const lease of await leases().claim('first', hourMs, 10)) {
      if (lease.id === 'ended') await leases().record(lease, { step: 'ended', endedAt: 3 });
      await leases().release([{ lease, changes: {}, dueAt: 5 }]);
    }
    expect((await leases().claim('second', hourMs, 1)).map(({ id }) => id)).toEqual(['ended']);
  });

  it("tries a request again that wasn't started, once for two clicks", async () => {
    await acceptDue(database(), newRequest());
    const lease = await claimOne('first');
    await leases().record(lease, { step: 'not_started' });
    const clicks = [requests().tryAgain('T1-V1', null), requests().tryAgain('T1-V1', null)];
    expect((await Promise.all(clicks)).sort()).toEqual([false, true]);
    await leases().release([{ lease, changes: {}, dueAt: null }]);
    expect(await leases().claim('second', hourMs, 10)).toHaveLength(1);
  });

  it("tries nothing again that has started or doesn't exist", async () => {
    await acceptDue(database(), newRequest());
    expect(await requests().tryAgain('T1-V1', null)).toBe(false);
    expect(await requests().tryAgain("' or 1=1 --", null)).toBe(false);
  });
});
