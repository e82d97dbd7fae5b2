import { expect, it } from 'vitest';
import { place, replyTo, useOnePost } from './one-post.ts';

const { database, store, plan, createSlack, work, request, post, takeOver } = useOnePost();

it('posts nothing when another replica took the post over while it looked for it', async () => {
  const slack = createSlack({
    async find() {
      await takeOver();
      return { outcome: 'absent' };
    },
  });
  await plan({}, { beganAt: 5 });
  await expect(work(slack)).rejects.toThrow('another replica');
  expect(slack.post).not.toHaveBeenCalled();
});

it('updates the message again when an answer was lost and the change is undone', async () => {
  const slack = createSlack({
    update: async () => ({ outcome: 'later', reason: 'lost', retryAfterMs: 0 }),
  });
  const problem = { code: 'connection', message: '', since: 5 };
  const shown = 'following undefined';
  await plan({ step: 'following', problem }, { state: 'posted', place, shown });
  await work(slack);
  expect(await post()).toMatchObject({ shown: null });
});

it('repeats neither of two replies when it is killed between them', async () => {
  await plan({ step: 'ended' });
  await store().outbox.plan([replyTo('one'), replyTo('other')]);
  const dying = createSlack({
    post: async () => {
      throw new Error('killed');
    },
  });
  await work(createSlack(), 'one');
  await expect(work(dying, 'other')).rejects.toThrow('killed');
  const after = createSlack({ find: async () => ({ outcome: 'posted', place }) });
  await work(after, 'other');
  expect(after.post).not.toHaveBeenCalled();
  expect(await post('other')).toMatchObject({ state: 'done', place });
});

it("doesn't reply again while an earlier reply may still arrive", async () => {
  await plan({ step: 'ended' });
  await store().outbox.plan([replyTo('one')]);
  const killed = createSlack({
    post: async () => {
      throw new Error('killed');
    },
  });
  await expect(work(killed, 'one')).rejects.toThrow('killed');
  const after = createSlack();
  const triedAt = Date.now();
  expect(await work(after, 'one')).toBeGreaterThan(triedAt + 500);
  expect(after.post).not.toHaveBeenCalled();
});

it("looks for an earlier try again when Slack's limits delay the next one", async () => {
  await plan({}, { beganAt: 5 });
  const busy = {
    outcome: 'later',
    reason: 'ratelimited',
    retryAfterMs: 0,
    isUndone: true,
  } as const;
  await work(createSlack({ post: async () => busy }));
  const slack = createSlack({ find: async () => ({ outcome: 'posted', place }) });
  await work(slack);
  expect(slack.post).not.toHaveBeenCalled();
});

it('posts others instead of one that is rejected, each once', async () => {
  await plan({ step: 'ended' });
  await store().outbox.plan([replyTo('one')]);
  const slack = createSlack({
    post: async (id) =>
      id === 'one'
        ? { outcome: 'rejected', reason: 'thread_not_found' }
        : { outcome: 'posted', place },
    instead: [replyTo('U1'), replyTo('U2')],
  });
  await work(slack, 'one');
  await work(slack, 'U1');
  await work(slack, 'U2');
  expect(slack.post.mock.calls).toEqual([['one'], ['U1'], ['U2']]);
  expect(await post('one')).toMatchObject({ state: 'moved' });
});

it('removes a message that it should replace, also if Slack takes no other one', async () => {
  const old = { channelId: 'C1', ts: '0.000100' };
  await plan({ step: 'following' }, { replaced: { ...old, repost: 'here' } });
  const slack = createSlack({ post: async () => ({ outcome: 'rejected', reason: 'is_archived' }) });
  const postedAt = Date.now();
  expect(await work(slack)).toBeGreaterThan(postedAt + 500);
  await database().updateTable('outbox').set({ check_at: 1 }).execute();
  await work(slack);
  expect(slack.remove.mock.calls).toEqual([[old]]);
});

it('makes a message due when its request changes visibly, and only then', async () => {
  await plan({ step: 'following' }, { state: 'posted', place, shown: 'following undefined' });
  await work(createSlack());
  const { leases, outbox } = store().posting;
  expect(await leases.nextDueInMs()).toBeUndefined();
  const { version } = await request();
  const lease = { id: 'r1', version };
  await store().following.leases.record(lease, { nextPollAt: 5, failures: 1 });
  expect(await leases.nextDueInMs()).toBeUndefined();
  await store().following.leases.record(lease, { unfollowedAt: 5 });
  expect(await leases.nextDueInMs()).toBeLessThanOrEqual(0);
  expect(await outbox.find('r1')).toMatchObject({ state: 'posted' });
});

it('makes a message due when the search for an unknown run begins and ends', async () => {
  const shown = 'ended undefined';
  await plan({ step: 'ended', missingSince: 4 }, { state: 'posted', place, shown });
  await work(createSlack());
  const { leases } = store().posting;
  expect(await leases.nextDueInMs()).toBeUndefined();
  await store().requests.pollAgain('r1', 5);
  expect(await leases.nextDueInMs()).toBeLessThanOrEqual(0);
});

it('leaves a post of an unknown kind for a replica with a newer version', async () => {
  await plan({ step: 'ended' });
  await store().outbox.plan([{ ...replyTo('one'), kind: 'newer-kind' }]);
  const older = createSlack();
  const triedAt = Date.now();
  expect(await work(older, 'one')).toBeGreaterThan(triedAt);
  expect(await post('one')).toMatchObject({ state: 'waiting' });
  const slack = createSlack();
  const newer = { ...slack, kinds: { ...slack.kinds, 'newer-kind': slack.kinds.end } };
  await work(newer, 'one');
  expect(newer.post.mock.calls).toEqual([['one']]);
  expect(await post('one')).toMatchObject({ state: 'done' });
});
