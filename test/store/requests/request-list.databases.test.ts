import { beforeEach, expect, it } from 'vitest';
import { canceledBeforeStart } from '../../../src/requests/cancel.ts';
import { createHomeViews } from '../../../src/store/people/home-views.ts';
import { createRequestList } from '../../../src/store/requests/request-list.ts';
import { createRequestMarks } from '../../../src/store/requests/request-marks.ts';
import {
  changedColumns,
  type NewRequest,
  type RequestChanges,
} from '../../../src/store/requests/request-row.ts';
import { createRequestWatchers } from '../../../src/store/requests/request-watchers.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { firedOrigin } from '../../support/automations.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { makePublic } from '../../support/database/many-requests.ts';

const teamId = 'T1';
const viewer = { teamId, userId: 'U1' };

describeOnDatabase('what Home and the buttons keep', (database) => {
  beforeEach(async () => {
    for (const table of ['requests', 'request_watchers', 'home_views'] as const) {
      await database().deleteFrom(table).execute();
    }
    await makePublic(database(), 'C1');
  });

  const list = () => createRequestList(database());

  async function store(id: string, request: Partial<NewRequest>, changes: RequestChanges = {}) {
    const requests = createRequests(database());
    await requests.accept({
      id,
      teamId,
      creatorId: 'U1',
      channelId: 'C1',
      prompt: 'count',
      title: id,
      config: {},
      acceptedAt: 1_000,
      ...request,
    });
    if (Object.keys(changes).length === 0) return;
    const columns = changedColumns(id, changes);
    await database().updateTable('requests').set(columns).where('id', '=', id).execute();
  }
  const ids = (requests: { id: string }[]) => requests.map(({ id }) => id);
  const page = async (filter: object) =>
    ids(await list().page({ viewer, ...filter }, { limit: 9 }));

  it('lists what needs review: open pull requests that are no drafts and not approved', async () => {
    const pullRequests = {
      draft: { state: 'draft' },
      open: { state: 'open' },
      approved: { state: 'open', review: 'approved' },
      merged: { state: 'merged' },
      closed: { state: 'closed' },
    };
    for (const [id, data] of Object.entries(pullRequests)) {
      const artifacts = [{ artifact_type: 'PULL_REQUEST', data }];
      const run = aRun({ run_id: id, state: 'SUCCEEDED', artifacts });
      await store(id, {}, { step: 'ended', runId: id, run });
    }
    await store('none', {}, { step: 'ended', runId: 'none', run: aRun({ run_id: 'none' }) });
    expect(await page({ needsReview: true })).toEqual(['open']);
    expect(await page({ needsReview: true, creatorId: 'U1' })).toEqual(['open']);
    const columns = changedColumns('open', { run: aRun({ run_id: 'open' }) });
    await database().updateTable('requests').set(columns).where('id', '=', 'open').execute();
    expect(await page({ needsReview: true })).toEqual([]);
  });

  it('requests of automations include only those that automations started', async () => {
    const origin = await firedOrigin(database());
    await store('nightly', { origin });
    await store('typed', { origin: { kind: 'command' } });
    await store('hidden', { origin });
    await database()
      .updateTable('requests')
      .set({ creator_id: 'U2', channel_id: 'C9' })
      .where('id', '=', 'hidden')
      .execute();
    expect(await page({ byAutomations: true })).toEqual(['nightly']);
    expect(await page({ byAutomations: true, state: 'succeeded' })).toEqual([]);
  });

  it('pages of requests have no gaps, even within a millisecond', async () => {
    for (const id of ['a', 'b', 'c']) await store(id, {});
    await store('d', { acceptedAt: 2_000 });
    const first = await list().page({ viewer }, { limit: 2 });
    const last = first.at(-1);
    const rest = await list().page({ viewer }, { after: last, limit: 9 });
    expect([ids(first), ids(rest)]).toEqual([
      ['d', 'c'],
      ['b', 'a'],
    ]);
  });

  it('requests of a person include those that are only accepted', async () => {
    await store('old', { acceptedAt: 1 }, { step: 'ended' });
    await store('a', { acceptedAt: 5 });
    await store('b', { acceptedAt: 5 }, { step: 'following', runId: 'run-b' });
    await store('c', { acceptedAt: 5 });
    await store('d', { acceptedAt: 6 }, { step: 'posted' });
    await store('of another', { creatorId: 'U2' });
    await store('elsewhere', { teamId: 'T2' });
    const mine = { viewer, creatorId: 'U1' };
    expect(await page(mine)).toEqual(['d', 'c', 'b', 'a', 'old']);
    expect(await page({ ...mine, state: 'live' })).toEqual(['d', 'c', 'b', 'a']);
    expect(await page({ ...mine, stateNames: ['ACCEPTED', 'QUEUED'] })).toEqual(['c', 'a']);
    const [first, second] = await list().page(mine, { limit: 2 });
    expect([first?.id, second?.id]).toEqual(['d', 'c']);
    expect(ids(await list().page(mine, { after: second, limit: 2 }))).toEqual(['b', 'a']);
  });

  it('requests are found by state, configuration and words with any characters', async () => {
    await store('going', { config: { environment_id: '50%_"!' } }, { step: 'following' });
    const run = aRun({ state: 'FAILED' });
    await store('failed', { config: { name: 'nightly' } }, { step: 'ended', run });
    await store('rejected', { prompt: 'Mend the 100% Login' }, { step: 'not_started' });
    await store(
      'done',
      { context: 'Grace:\n> the Page is blank' },
      { step: 'ended', run: aRun({ state: 'SUCCEEDED' }) },
    );
    const lost = { step: 'ended', run: aRun({ state: 'INPROGRESS' }) } as const;
    await store('lost', { prompt: 'nobody knows' }, lost);
    expect(await page({ state: 'live' })).toEqual(['going']);
    expect(await page({ state: 'failed' })).toEqual(['rejected', 'failed']);
    expect(await page({ state: 'succeeded' })).toEqual(['done']);
    expect(await page({ environment: '50%_"!' })).toEqual(['going']);
    expect(await page({ environment: '50' })).toEqual([]);
    expect(await page({ name: 'nightly' })).toEqual(['failed']);
    expect(await page({ search: '100% login' })).toEqual(['rejected']);
    expect(await page({ search: 'page is' })).toEqual(['done']);
    expect(await page({ search: '100_ login' })).toEqual([]);
    expect(await list().counts(viewer, 0)).toEqual({
      live: 1,
      succeeded: 1,
      failed: 1,
      cancelled: 0,
      notStarted: 1,
    });
    expect(await list().counts(viewer, 1_001)).toMatchObject({ live: 0, notStarted: 0 });
  });

  it('counts requests without a run apart from those that failed', async () => {
    const problem = { code: canceledBeforeStart, message: '', since: 1 };
    await store('canceled first', {}, { step: 'ended', problem });
    await store('rejected', {}, { step: 'not_started' });
    await store('without a message', {}, { step: 'ended' });
    expect(await page({ state: 'cancelled' })).toEqual(['canceled first']);
    expect(await page({ state: 'failed' })).toEqual(['without a message', 'rejected']);
    expect(await list().counts(viewer, 0)).toMatchObject({
      cancelled: 1,
      failed: 0,
      notStarted: 2,
    });
  });

  it("an outdated page isn't stored for the Home tab", async () => {
    const views = createHomeViews(database());
    const owner = { teamId, userId: 'U1' };
    const looked = { cursors: [], activeUntil: 100, refreshAt: 10 };
    const first = await views.look(owner, looked);
    const second = await views.look(owner, { ...looked, cursors: ['next'] });
    const listing = { key: 'mine', value: [1], listedAt: 5 };
    expect(await views.keep(first, { listing })).toBe(false);
    expect(await views.keep(first, { shown: 'x' })).toBe(false);
    expect(await views.keep(second, { listing })).toBe(true);
    expect(await views.keep(second, { shown: 'y' })).toBe(true);
    expect(await views.read(owner)).toMatchObject({ cursors: ['next'], listing, shown: 'y' });
  });

  it('a Home tab is refreshed by one replica while it is in use', async () => {
    const views = createHomeViews(database());
    await views.look({ teamId, userId: 'U1' }, { cursors: [], activeUntil: 100, refreshAt: 10 });
    const takeAt = (now: number) => views.takeDue({ now, next: now + 15, limit: 5, everyMs: 2 });
    expect(await takeAt(9)).toHaveLength(0);
    expect((await Promise.all([takeAt(10), takeAt(10)])).flat()).toHaveLength(1);
    expect(await takeAt(101)).toHaveLength(0);
  });

  it('all replicas together refresh no more Home tabs than one may', async () => {
    const views = createHomeViews(database());
    for (const userId of ['U1', 'U2', 'U3', 'U4'])
      await views.look({ teamId, userId }, { cursors: [], activeUntil: 100, refreshAt: 10 });
    const takeAt = (now: number) => views.takeDue({ now, next: now + 15, limit: 3, everyMs: 2 });
    expect(await takeAt(10)).toHaveLength(3);
    expect(await takeAt(11)).toHaveLength(0);
    expect(await takeAt(12)).toHaveLength(1);
    const other = { teamId: 'T2', userId: 'U1' };
    await views.look(other, { cursors: [], activeUntil: 100, refreshAt: 13 });
    expect(await takeAt(13)).toMatchObject([other]);
  });

  it('a cancel is asked for once, and again only after the service rejected it or nothing came of it', async () => {
    await store('a', {});
    const marks = createRequestMarks(database());
    const answer = (cancel_outcome: string) =>
      database().updateTable('requests').set({ cancel_outcome }).execute();
    expect(await marks.askCancel('a', 'U1', 1_000)).toBe(true);
    expect(await marks.askCancel('a', 'U2', 90_000)).toBe(false);
    await answer('accepted');
    expect(await marks.askCancel('a', 'U2', 60_000)).toBe(false);
    expect(await marks.askCancel('a', 'U2', 62_000)).toBe(true);
    await answer('not_offered');
    expect(await marks.askCancel('a', 'U1', 62_001)).toBe(true);
    const again = await createRequests(database()).find('a');
    expect(again).toMatchObject({ cancelAskedBy: 'U1', cancelOutcome: null });
  });

  it("a request that has ended can't be canceled", async () => {
    await store('a', {});
    await database().updateTable('requests').set({ step: 'ended' }).execute();
    expect(await createRequestMarks(database()).askCancel('a', 'U1', 1_000)).toBe(false);
  });

  it('the last notification choice counts', async () => {
    const watchers = createRequestWatchers(database());
    await watchers.set('a', 'U1', true);
    await watchers.set('a', 'U2', true);
    await watchers.set('a', 'U1', false);
    const said = await watchers.list('a');
    expect(new Map(said.map(({ userId, wants }) => [userId, wants]))).toEqual(
      new Map([
        ['U1', false],
        ['U2', true],
      ]),
    );
  });
});
