import { LeaseLost } from 'base/leased-work';
import { expect, it } from 'vitest';
import { place, useOnePost } from './one-post.ts';

const { store, plan, createSlack, work, request, requestDueAt, post } = useOnePost();

const slowDown = {
  outcome: 'later',
  reason: 'ratelimited',
  retryAfterMs: 9_000,
  isUndone: true,
} as const;
const rejected = async () => ({ outcome: 'rejected', reason: 'is_archived' }) as const;

it("lets the run start while its message waits for Slack's limit in the channel", async () => {
  const slack = createSlack({ waitMs: async () => 60_000 });
  await plan({});
  await work(slack);
  expect(slack.post).not.toHaveBeenCalled();
  expect(slack.wakeFollower).toHaveBeenCalledTimes(1);
  expect(await request()).toMatchObject({ step: 'posted' });
  expect(await requestDueAt()).toEqual(expect.any(Number));
  expect(await post()).toMatchObject({ state: 'waiting' });
});

it('lets the run start when Slack asks to slow down', async () => {
  await plan({});
  await work(createSlack({ post: async () => slowDown }));
  expect(await request()).toMatchObject({ step: 'posted' });
  expect(await requestDueAt()).toEqual(expect.any(Number));
  expect(await post()).toMatchObject({ state: 'waiting', beganAt: null, failures: 1 });
});

it('lets the run start while a post whose answer was lost may still arrive', async () => {
  const slack = createSlack();
  const beganAt = Date.now();
  await plan({}, { beganAt });
  expect(await work(slack)).toBeGreaterThan(beganAt + 500);
  expect(slack.post).not.toHaveBeenCalled();
  expect(await request()).toMatchObject({ step: 'posted' });
});

it('starts nothing while Slack rejects the token', async () => {
  const later = { outcome: 'later', reason: 'token_revoked', retryAfterMs: 0 } as const;
  await plan({});
  await work(createSlack({ post: async () => ({ ...later, isUndone: true, isQuiet: true }) }));
  expect(await request()).toMatchObject({ step: 'accepted' });
});

it('lets the run start when the message is posted', async () => {
  const slack = createSlack();
  await plan({});
  await work(slack);
  expect(await request()).toMatchObject({ step: 'posted' });
  expect(await requestDueAt()).toEqual(expect.any(Number));
  expect(slack.wakeFollower).toHaveBeenCalledTimes(1);
  expect(await post()).toMatchObject({ state: 'posted', place });
});

it("posts the message later with the run's state at that time", async () => {
  let waitMs = 60_000;
  const slack = createSlack({ waitMs: async () => waitMs });
  await plan({ step: 'following' });
  await work(slack);
  waitMs = 0;
  await work(slack);
  await work(slack);
  expect(slack.post).toHaveBeenCalledTimes(1);
  expect(slack.update).not.toHaveBeenCalled();
  expect(await post()).toMatchObject({ place, suspectedAt: null });
  expect(await request()).toMatchObject({ step: 'following' });
});

it('updates a message of a lost post when the run has changed since', async () => {
  const slack = createSlack({ find: async () => ({ outcome: 'posted', place }) });
  await plan({ step: 'ended' }, { beganAt: Date.now() });
  await work(slack);
  expect(slack.update).toHaveBeenCalledTimes(1);
});

it.each([
  ['posted', {}],
  ['replaced', { replaced: { ...place, repost: 'here' } as const }],
])('notifies nobody of the end before the message is %s', async (_, message) => {
  let waitMs = 60_000;
  const slack = createSlack({ waitMs: async () => waitMs });
  await plan({ step: 'ended', endedAt: 5 }, message);
  await work(slack);
  expect(slack.tell).not.toHaveBeenCalled();
  waitMs = 0;
  await work(slack);
  expect(slack.tell).toHaveBeenCalledTimes(1);
});

it('starts nothing if no message can be posted', async () => {
  await plan({});
  await work(createSlack({ post: rejected }));
  const problem = { code: 'cannot_post', message: 'is_archived' };
  expect(await request()).toMatchObject({ step: 'ended', problem });
  expect(await post()).toMatchObject({ state: 'done', place: null });
});

it('starts nothing if the message is rejected right before the run is created', async () => {
  await plan({ step: 'posted' });
  const { leases } = store().following;
  const { version } = await request();
  await work(createSlack({ post: rejected }));
  const begin = leases.record({ id: 'r1', version }, { createBeganAt: 5 });
  await expect(begin).rejects.toThrow(LeaseLost);
  expect(await request()).toMatchObject({ step: 'ended', createBeganAt: null });
});

it('keeps following a run whose message is rejected later', async () => {
  await plan({ step: 'following', createBeganAt: 5 });
  await work(createSlack({ post: rejected }));
  expect(await request()).toMatchObject({ step: 'following', problem: null });
  expect(await post()).toMatchObject({ state: 'done' });
});
