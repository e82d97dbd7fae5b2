import { beforeEach, expect, it } from 'vitest';
import type { RequestChanges } from '../../../src/store/requests/request-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const leaseMs = 60_000;
const item = { id: 'message 1', kind: 'mention', teamId: 'T1', content: { text: 'go' } };

describeOnDatabase('the inbox', (database) => {
  beforeEach(async () => {
    await database().deleteFrom('inbox').execute();
    await database().deleteFrom('requests').execute();
  });

  const parts = () => {
    const { inbox, requests, following } = createStore(database());
    return { inbox, requests, following, mentions: inbox.leasesOf('mention') };
  };

  it('gives an item to one process, and never after it is handled', async () => {
    const { inbox, mentions } = parts();
    expect(await inbox.add(item)).toBe(true);
    expect(await inbox.add({ ...item, content: { text: 'again' } })).toBe(false);
    expect(await inbox.leasesOf('another').claim('me', leaseMs, 5)).toEqual([]);
    const claimed = await Promise.all(
      ['me', 'other'].map((owner) => mentions.claim(owner, leaseMs, 5)),
    );
    const [lease, ...others] = claimed.flat();
    expect(lease).toMatchObject({ content: { text: 'go' }, failures: 0 });
    expect(others).toEqual([]);
    if (!lease) return;
    await mentions.release([{ lease, changes: { handledAt: Date.now() }, dueAt: null }]);
    expect(await mentions.claim('me', leaseMs, 5)).toEqual([]);
    expect(await mentions.nextDueInMs()).toBeUndefined();
    expect(await inbox.add(item)).toBe(false);
    const { content_json } = await database()
      .selectFrom('inbox')
      .select(['id', 'content_json'])
      .executeTakeFirstOrThrow();
    expect(content_json).toBe('{}');
  });

  it('stores an item as one kind only, and changes it as that', async () => {
    const { inbox, mentions } = parts();
    await inbox.add(item);
    const asReply = { ...item, kind: 'reply' };
    expect(await inbox.add(asReply)).toBe(false);
    expect(await inbox.change(asReply, () => ({ text: 'stop' }))).toBeUndefined();
    const [claimed] = await mentions.claim('me', leaseMs, 5);
    expect(claimed).toMatchObject({ content: { text: 'go' } });
  });

  it('gives an item again when its process is gone', async () => {
    const { inbox, mentions } = parts();
    expect(await inbox.addLeased(item, 'gone', -1)).toMatchObject({ content: { text: 'go' } });
    expect(await inbox.addLeased(item, 'me', leaseMs)).toBeUndefined();
    expect(await mentions.claim('me', leaseMs, 5)).toHaveLength(1);
    expect(await mentions.claim('other', leaseMs, 5)).toEqual([]);
  });

  it('forgets handled items after an hour, and no others', async () => {
    const { inbox, mentions } = parts();
    for (const id of ['handled', 'waiting', 'new']) await inbox.add({ ...item, id });
    const hourAgo = Date.now() - 3_600_001;
    await database()
      .updateTable('inbox')
      .set({ handled_at: hourAgo, due_at: null })
      .where('id', '=', 'handled')
      .execute();
    await database().updateTable('inbox').set({ received_at: hourAgo }).execute();
    const [lease] = await mentions.claim('me', leaseMs, 1);
    if (lease) await mentions.release([{ lease, changes: {}, dueAt: Date.now() + leaseMs }]);
    const left = await database().selectFrom('inbox').select('id').orderBy('id').execute();
    expect(left.map(({ id }) => id)).toEqual(['new', 'waiting']);
  });

  it('gives items whose request has come so far, however many others wait', async () => {
    const { inbox, requests, following } = parts();
    const steps = inbox.leasesOf('step');
    const base = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
    async function waitFor(requestId: string, until: 'end' | 'run', changes?: RequestChanges) {
      await inbox.add({ id: requestId, kind: 'step', teamId: 'T1', content: {} });
      const [lease] = await steps.claim('me', leaseMs, 1);
      if (!lease) throw new Error('nothing is due');
      await steps.release([{ lease, changes: { waitsFor: { requestId, until } }, dueAt: null }]);
      if (!changes) return;
      await acceptDue(database(), { ...base, id: requestId, config: {}, acceptedAt: 1 });
      const [request] = await following.leases.claim('me', leaseMs, 1);
      if (request) await following.leases.record(request, changes);
    }
    const claimed = async () => (await steps.claim('me', leaseMs, 100)).map(({ id }) => id).sort();
    // A step whose request doesn't exist is due immediately.
    await waitFor('r4', 'end');
    expect(await claimed()).toEqual(['r4']);
    await database().deleteFrom('inbox').execute();
    const started: RequestChanges = { step: 'following', runId: 'run-1' };
    await acceptDue(database(), { ...base, id: 'r1', config: {}, acceptedAt: 1 });
    await waitFor('r1', 'run');
    expect(await claimed()).toEqual([]);
    expect(await steps.nextDueInMs()).toBeLessThanOrEqual(1_000);
    const [request] = await following.leases.claim('me', leaseMs, 1);
    if (request) await following.leases.record(request, started);
    expect(await claimed()).toEqual(['r1']);
    // Nothing tells the app that a run ended after it stopped following it.
    await database().deleteFrom('inbox').execute();
    await waitFor('r1', 'end');
    expect(await claimed()).toEqual([]);
    expect(await requests.unfollow('r1', Date.now())).toBe(true);
    expect(await steps.nextDueInMs()).toBe(0);
    expect(await claimed()).toEqual(['r1']);
  });

  it('changes what an item says until it is handled, also while it is leased', async () => {
    const { inbox, mentions } = parts();
    await inbox.add(item);
    const append = (words: string) =>
      inbox.change(item, (content) => ({ text: `${(content as { text: string }).text} ${words}` }));
    const [lease] = await mentions.claim('me', leaseMs, 5);
    if (!lease) throw new Error('nothing is due');
    // Both changes are kept, because each one reads the result of the other.
    await Promise.all([append('one'), append('one')]);
    expect(await inbox.change(item, () => undefined)).toEqual({ text: 'go one one' });
    await mentions.release([{ lease, changes: { handledAt: Date.now() }, dueAt: null }]);
    expect(await append('late')).toBeUndefined();
    expect(await inbox.change({ ...item, id: 'unknown' }, () => ({}))).toBeUndefined();
  });

  it('knows whether an earlier item is left', async () => {
    const { inbox, mentions } = parts();
    for (const id of ['C1 1.0 2.0', 'C1 1.0 3.0', 'C1 0.5 2.0']) await inbox.add({ ...item, id });
    const hasEarlier = (id: string) => inbox.hasEarlier({ ...item, id }, 'C1 1.0 ');
    expect(await hasEarlier('C1 1.0 2.0')).toBe(false);
    expect(await hasEarlier('C1 1.0 3.0')).toBe(true);
    const leased = await mentions.claim('me', leaseMs, 5);
    expect(await hasEarlier('C1 1.0 3.0')).toBe(true);
    const changes = { handledAt: Date.now() };
    await mentions.release(leased.map((lease) => ({ lease, changes, dueAt: null })));
    expect(await hasEarlier('C1 1.0 3.0')).toBe(false);
  });
});
