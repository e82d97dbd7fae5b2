import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { trackPost } from '../../../../src/outbox/track-post.ts';
import { createNotifiedReader } from '../../../../src/slack/run-message/notices/notified-people.ts';
import { createNoticePlanner } from '../../../../src/slack/run-message/plan-posts.ts';
import { runMessageOf } from '../../../../src/store/outbox/message-posts.ts';
import type { RunRequest } from '../../../../src/store/requests/request-row.ts';
import type { RunViewer } from '../../../../src/store/requests/visible-requests.ts';
import { createStore } from '../../../../src/store/store.ts';
import { aRequest, aRun } from '../../../support/builders.ts';
import { useDatabase } from '../../../support/database/databases.ts';
import { noPolicies } from '../../../support/posting/no-policies.ts';

const database = useDatabase();
const place = { channelId: 'C1', ts: '1.000100' };

/** Two people who pressed "Notify me". Only the first one can still see the run. */
const watchers = [
  { userId: 'U-here', wants: true },
  { userId: 'U-left', wants: true },
] as const;

/** Plans notices for each of these states in turn, and returns them. */
async function noticesOf(
  states: readonly Partial<RunRequest>[],
  watched = false,
  reply = 'thread',
) {
  const { posting, following } = createStore(database());
  await database().deleteFrom('outbox').execute();
  await posting.outbox.plan([runMessageOf({ id: 'T1-V1', teamId: 'T1' })]);
  const planNotices = createNoticePlanner({
    client: new WebClient(),
    settings: { readLayers: async () => new Map([['person', { reply }]]) },
    outbox: posting.outbox,
    lengths: following.lengths,
    policies: noPolicies,
    readNotified: createNotifiedReader({
      watchers: { list: async () => (watched ? [...watchers] : []) },
      requests: { findVisible: async ({ userId }: RunViewer) => new Set(seenBy[userId]) },
    }),
  });
  for (const state of states) {
    await database().updateTable('outbox').set({ due_at: 1, lease_until: 0 }).execute();
    const due = await posting.leases.claim('test', 60_000, 10);
    const message = due.find(({ kind }) => kind === 'run-message');
    if (!message) throw new Error('nothing is due');
    const tracked = trackPost(posting.leases, { ...message, place });
    await planNotices(aRequest(state), tracked);
  }
  const posts = await posting.outbox.ofRequest('T1-V1');
  return posts.filter(({ kind }) => kind !== 'run-message');
}

const seenBy: Readonly<Record<string, string[]>> = { 'U-here': ['T1-V1'] };

const tellOf = async (states: readonly Partial<RunRequest>[]) =>
  (await noticesOf(states)).map(({ id }) => id);

const ended = { step: 'ended', run: aRun({ state: 'SUCCEEDED' }) } as const;
const notStarted = {
  step: 'not_started',
  run: null,
  problem: { code: 'unauthorized', message: '', since: 7 },
} as const;

it('plans the notices of an end once', async () => {
  expect(await tellOf([ended, ended])).toEqual(['T1-V1 end thread']);
});

it("notifies of a request that wasn't started, and of its end after it was tried again", async () => {
  const posted = { step: 'posted', run: null } as const;
  const told = await tellOf([notStarted, posted, ended]);
  expect(told).toEqual(['T1-V1 end thread', 'T1-V1 not started 7 thread']);
});

it('tells people who pressed Notify me, but not those who left the conversation since', async () => {
  const [inThread] = await noticesOf([ended], true);
  expect(inThread?.content).toMatchObject({ names: ['U1', 'U-here'] });
  const direct = await noticesOf([ended], true, 'direct');
  expect(direct.map(({ content }) => content)).toMatchObject([
    { userId: 'U-here' },
    { userId: 'U1' },
  ]);
});

const question = expect.stringMatching(/^T1-V1 question \S+$/);

it('asks once while a run waits for input', async () => {
  const blocked = { run: aRun({ state: 'BLOCKED' }) };
  expect(await tellOf([blocked, {}, blocked])).toEqual([question]);
  const connect = { status_message: { message: 'm', auth_url: 'https://a.example' } };
  const needsAccess = { run: aRun({ state: 'BLOCKED', ...connect }) };
  expect(await tellOf([needsAccess, needsAccess])).toEqual(['T1-V1 nudge thread']);
});

it('plans nothing while a run works', async () => {
  expect(await tellOf([{}, {}])).toEqual([]);
});

it('notifies the owner of an automation only when it is their turn', async () => {
  const origin = { kind: 'automation' as const };
  const failed = { step: 'ended', run: aRun({ state: 'FAILED' }) } as const;
  expect(await tellOf([{ ...ended, origin }])).toEqual([]);
  expect(await tellOf([{ ...failed, origin }])).toEqual(['T1-V1 end thread']);
  expect(await tellOf([{ ...notStarted, origin }])).toEqual(['T1-V1 not started 7 thread']);
  const others = await noticesOf([{ ...ended, origin }], true);
  expect(others.map(({ content }) => content)).toMatchObject([{ names: ['U-here'] }]);
});
