import { expect, it } from 'vitest';
import { trackPost } from '../../../src/outbox/track-post.ts';
import { tellPeople } from '../../../src/slack/run-message/tell-people.ts';
import { runMessageOf } from '../../../src/store/outbox/message-posts.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { createStore } from '../../../src/store/store.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { useDatabase } from '../../support/databases.ts';

const database = useDatabase();
const place = { channelId: 'C1', ts: '1.000100' };

/** Tells people of each of these states in turn, and answers which notices there are. */
async function tellOf(states: readonly Partial<RunRequest>[], reply = 'thread'): Promise<string[]> {
  const { posting, following } = createStore(database());
  await database().deleteFrom('outbox').execute();
  await posting.outbox.plan([runMessageOf({ id: 'T1-V1', teamId: 'T1' })]);
  const parts = {
    client: { users: {}, reactions: {} } as never,
    watchers: { list: async () => [] },
    settings: { read: async () => ({ reply }) as never },
    readAnswer: async () => undefined,
    ...{ outbox: posting.outbox, lengths: following.lengths },
  };
  for (const state of states) {
    await database().updateTable('outbox').set({ due_at: 1, lease_until: 0 }).execute();
    const due = await posting.leases.claim('test', 60_000, 10);
    const message = due.find(({ kind }) => kind === 'run-message');
    if (!message) throw new Error('nothing is due');
    const tracked = trackPost(posting.leases, { ...message, place });
    await tellPeople(parts, aRequest(state), tracked);
  }
  const posts = await posting.outbox.ofRequest('T1-V1');
  return posts.filter(({ kind }) => kind !== 'run-message').map(({ id }) => id);
}

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
