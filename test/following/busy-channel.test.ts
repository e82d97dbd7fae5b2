import { expect, it, vi } from 'vitest';
import type { FollowingParts } from '../../src/following/parts.ts';
import { createRequestLeases } from '../../src/store/requests/request-leases.ts';
import { advanceLeased } from '../support/advance-leased.ts';
import { aRun } from '../support/builders.ts';
import { place, useOneRequest } from './one-request.ts';

const { database, leased, createParts, current } = useOneRequest();

type Changes = Parameters<typeof createParts>[0];

function partsThatCreate(messages: NonNullable<Changes['messages']>, more: Changes = {}) {
  const create = vi.fn(async () => ({ run_id: 'run-1', state: 'QUEUED' }));
  const runs = { create, ...more.runs } as unknown as FollowingParts['runs'];
  return { create, parts: createParts({ ...more, runs, messages }) };
}

async function advanceAgain(parts: ReturnType<typeof createParts>) {
  await database().updateTable('requests').set({ due_at: 1, lease_until: 0 }).execute();
  const [request] = await createRequestLeases(database()).claim('test', 60_000, 1);
  if (!request) throw new Error('nothing is due');
  return advanceLeased(parts, request);
}

it("creates the run while its message waits for Slack's limit in the channel", async () => {
  const { create, parts } = partsThatCreate({ room: () => 60_000 });
  await advanceLeased(parts, await leased({}));
  expect(create).toHaveBeenCalledTimes(1);
  expect(parts.messages.post).not.toHaveBeenCalled();
  expect(await current()).toMatchObject({ step: 'following', runId: 'run-1', messageTs: null });
});

it('creates the run when Slack asks to slow down', async () => {
  const post = async () =>
    ({ outcome: 'later', reason: 'ratelimited', retryAfterMs: 9_000, isUndone: true }) as const;
  const { create, parts } = partsThatCreate({ post });
  await advanceLeased(parts, await leased({}));
  expect(create).toHaveBeenCalledTimes(1);
  expect(await current()).toMatchObject({ step: 'following', messageTs: null });
});

it('creates the run while a post whose answer was lost may still arrive', async () => {
  const { create, parts } = partsThatCreate({});
  await advanceLeased(parts, await leased({ postBeganAt: Date.now() }));
  expect(create).toHaveBeenCalledTimes(1);
  expect(parts.messages.post).not.toHaveBeenCalled();
});

const refusedToken = { outcome: 'later', isUndone: true, isQuiet: true } as const;

it('starts nothing while Slack refuses the token', async () => {
  const post = async () => ({ ...refusedToken, reason: 'token_revoked', retryAfterMs: 0 }) as const;
  const { create, parts } = partsThatCreate({ post });
  await advanceLeased(parts, await leased({}));
  expect(create).not.toHaveBeenCalled();
  expect(await current()).toMatchObject({ step: 'accepted' });
});

it("posts the message later with the run's state at that time", async () => {
  let waitMs = 60_000;
  const post = vi.fn(async () => ({ outcome: 'posted', place }) as const);
  const { create, parts } = partsThatCreate({ room: () => waitMs, post });
  await advanceLeased(parts, await leased({}));
  waitMs = 0;
  await advanceAgain(parts);
  await advanceAgain(parts);
  expect(create).toHaveBeenCalledTimes(1);
  expect(post.mock.calls).toMatchObject([[{ id: 'r1' }, { step: 'following' }]]);
  const { messageTs, duplicateSuspectedAt } = await current();
  expect([messageTs, duplicateSuspectedAt]).toEqual([place.ts, null]);
});

it('updates a message of a lost post when the run has changed since', async () => {
  const find = async () => ({ outcome: 'posted', place }) as const;
  const { parts } = partsThatCreate({ find });
  const run = aRun({ state: 'SUCCEEDED' });
  const ended = { step: 'ended', endedAt: 5, runId: 'run-1', run, pendingPost: 'first' } as const;
  await advanceLeased(parts, await leased({ ...ended, postBeganAt: Date.now() }));
  expect(parts.messages.update).toHaveBeenCalledTimes(1);
});

it('notifies nobody of the end before the message is posted', async () => {
  const run = aRun({ state: 'SUCCEEDED' });
  const findCreated = async () => ({ outcome: 'found', run, isSure: true });
  let waitMs = 60_000;
  const { parts } = partsThatCreate(
    { room: () => waitMs },
    { runs: { findCreated } as unknown as FollowingParts['runs'] },
  );
  await advanceLeased(parts, await leased({ createBeganAt: 5 }));
  expect(await current()).toMatchObject({ step: 'ended', messageTs: null });
  expect(parts.notices.planEnd).not.toHaveBeenCalled();
  waitMs = 0;
  await advanceAgain(parts);
  expect(parts.notices.planEnd).toHaveBeenCalledTimes(1);
});

it('notifies nobody of the end before a replaced message is posted', async () => {
  const { parts } = partsThatCreate({ room: () => 60_000 });
  const lost = { pendingPost: 'here', messageChannelId: 'C1', messageTs: null } as const;
  await advanceLeased(parts, await leased({ step: 'ended', endedAt: 5, ...lost }));
  expect(parts.notices.planEnd).not.toHaveBeenCalled();
});

it('starts nothing if no message can be posted', async () => {
  const post = async () => ({ outcome: 'refused', reason: 'is_archived' }) as const;
  const { create, parts } = partsThatCreate({ post });
  await advanceLeased(parts, await leased({}));
  expect(create).not.toHaveBeenCalled();
  expect(await current()).toMatchObject({ step: 'ended', problem: { code: 'cannot_post' } });
});

it('keeps following a run whose message is refused later', async () => {
  let waitMs = 60_000;
  const post = async () => ({ outcome: 'refused', reason: 'is_archived' }) as const;
  const { parts } = partsThatCreate({ room: () => waitMs, post });
  await advanceLeased(parts, await leased({}));
  waitMs = 0;
  await advanceAgain(parts);
  expect(await current()).toMatchObject({ step: 'following', pendingPost: null, problem: null });
});
