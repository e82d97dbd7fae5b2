import { beforeEach, expect, it } from 'vitest';
import { createDatabaseOwner } from '../../../src/store/database-owner.ts';
import { createStore } from '../../../src/store/store.ts';
import { aRun } from '../../support/builders.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const elsewhere = { teamId: 'T2' };
const run = aRun({ run_id: 'run-1' });
const asked = { id: 'r1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't', config: {} };
const later = Date.now() + 3_600_000;
const draft = {
  context: '',
  messages: 0,
  left: 0,
  rest: '',
  isWanted: false,
  notices: [],
  names: {},
};
const submission = { teamId: 'T2', channelId: 'C1', userId: 'U1', draftId: 'd1', key: 'defaults' };
const place = { ...elsewhere, channelId: 'C1', conversationId: 'C1' };

describeOnDatabase('rows of another workspace', (database) => {
  const store = () => createStore(database());
  const moveTo = (teamId: string) =>
    database().updateTable('workspaces').set({ team_id: teamId }).execute();

  /** Adds a request of another workspace, with a run and everything that belongs to it. */
  beforeEach(async () => {
    await createDatabaseOwner(database()).claim('T2');
    const { requests, digests, views, conversations, inbox, drafts, watchers } = store();
    await requests.accept({ ...asked, ...elsewhere, acceptedAt: 1 });
    await digests.set(place, { hour: 9, timeZone: 'UTC' }, { now: 1, nextAt: 2 });
    await views.look(
      { ...elsewhere, userId: 'U1' },
      { cursors: [], activeUntil: Date.now() + 60_000, refreshAt: 1 },
    );
    await conversations.note(place);
    await inbox.add({ id: 'due', kind: 'event', ...elsewhere, content: {} });
    await inbox.add({ id: 'late', kind: 'event', ...elsewhere, content: {} });
    await database().updateTable('inbox').set({ due_at: later }).where('id', '=', 'late').execute();
    await drafts.write({ id: 'd1', ...elsewhere }, draft, 1);
    await watchers.set('r1', 'U3', true);
    const rated = { id: 'r1', ...elsewhere };
    await store().feedback.give(rated, { userId: 'U3', isGood: true, at: 1 });
    await moveTo('T1');
  });

  const allIn = async () => {
    const { requests, outbox, digests, views, conversations, following, posting } = store();
    const { inbox, drafts, watchers } = store();
    const items = inbox.leasesOf('event');
    const now = Date.now();
    await drafts.markExpanded('d1');
    return {
      found: await requests.find('r1'),
      ofRun: await requests.findByRunIds('default', ['run-1']),
      listed: [...(await requests.findOfRuns('default', [run])).keys()],
      post: (await outbox.find('r1'))?.id,
      posts: (await outbox.ofRequest('r1')).length,
      canceled: await requests.askCancel('r1', 'U2', now),
      followed: [
        await following.followedOf('default').runIds(),
        await following.followedOf('default').youngestAt(),
      ],
      due: (await digests.due(now)).length,
      refreshed: (await views.takeDue({ now, next: now + 1, limit: 9, everyMs: 1 })).length,
      read: (await conversations.takeDue(1))?.conversationId,
      claimed: (await following.leases.claim('me', 1_000, 9)).length,
      posting: (await posting.leases.claim('me', 1_000, 9)).length,
      arrived: [await items.nextDueInMs(), (await items.claim('me', 1_000, 9)).length],
      draft: (await drafts.read('d1'))?.isWhole,
      submitted: (await drafts.readSubmission(submission)).draft?.isWhole,
      watchers: (await watchers.list('r1')).length,
      ratings: (await store().feedback.ofRuns(['r1'])).length,
      nextDue: await following.leases.nextDueInMs(),
    };
  };

  it('are never found, shown, changed or claimed', async () => {
    const followed = { step: 'following', run_id: 'run-1', due_at: 1 } as const;
    await database().updateTable('requests').set(followed).execute();
    await store().inbox.leasesOf('event').retryNow();
    expect(await allIn()).toEqual({
      found: undefined,
      ofRun: [],
      listed: [],
      post: undefined,
      posts: 0,
      canceled: false,
      followed: [[], undefined],
      due: 0,
      refreshed: 0,
      read: undefined,
      claimed: 0,
      posting: 0,
      nextDue: undefined,
      arrived: [undefined, 0],
      draft: undefined,
      submitted: undefined,
      watchers: 0,
      ratings: 0,
    });
    const late = await database()
      .selectFrom('inbox')
      .select('due_at')
      .where('id', '=', 'late')
      .execute();
    expect(late).toEqual([{ due_at: later }]);
    await store()
      .following.followedOf('default')
      .deliverUpdates([{ ...run, state: 'SUCCEEDED' }]);
    const { connections, followedOf } = store().following;
    await connections.wake('default', 0);
    await followedOf('default').showProblem(
      { code: 'timeout', message: '', since: 1 },
      { id: 'default', version: 0 },
    );
    const [row] = await database().selectFrom('requests').selectAll().execute();
    expect(row).toMatchObject({ pending_update_json: null, problem_json: null });

    // The same rows in a separate database.
    await moveTo('T2');
    expect(await allIn()).toMatchObject({
      found: { id: 'r1' },
      listed: ['run-1'],
      post: 'r1',
      posts: 1,
      canceled: true,
      followed: [['run-1'], 1],
      due: 1,
      refreshed: 1,
      read: 'C1',
      claimed: 1,
      posting: 1,
      arrived: [expect.any(Number), 1],
      draft: true,
      submitted: true,
      watchers: 1,
      ratings: 1,
    });
  });
});
