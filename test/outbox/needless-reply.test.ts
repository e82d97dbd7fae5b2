import { expect, it } from 'vitest';
import { changedPost } from '../../src/store/outbox/outbox-row.ts';
import { place, replyTo, useOnePost } from './one-post.ts';

const { plan, createSlack, work, store, database, post } = useOnePost();

const oldMessage = { channelId: 'C1', ts: '0.000100' };
const oldReply = { channelId: 'C1', ts: '0.000200' };

it('a reply that is needless before it moved is removed, and then the message that it was below', async () => {
  const here = { repost: 'here' } as const;
  const replaced = { ...oldMessage, ...here };
  await plan(
    { step: 'following' },
    { state: 'posted', place, replaced, suspectedAt: 1, checkAt: 1 },
  );
  await store().outbox.plan([replyTo('r1 end')]);
  const moved = changedPost('r1 end', { failures: 0, replaced: { ...oldReply, ...here } });
  await database().updateTable('outbox').set(moved).where('id', '=', 'r1 end').execute();
  const slack = createSlack();
  const needless = { open: async () => undefined };
  const kinds = { ...slack.kinds, end: needless };

  await work({ ...slack, kinds });
  expect(slack.remove).not.toHaveBeenCalled();
  expect(await work({ ...slack, kinds }, 'r1 end')).toBeNull();
  expect(await post('r1 end')).toMatchObject({ state: 'done', replaced: null });
  await work({ ...slack, kinds });
  expect(slack.remove.mock.calls.flat().map(({ ts }) => ts)).toEqual([oldReply.ts, oldMessage.ts]);
});

it('a reply that cannot be removed yet is removed later', async () => {
  await plan({ step: 'following' }, { state: 'posted', place });
  await store().outbox.plan([replyTo('r1 end')]);
  const moved = changedPost('r1 end', { failures: 0, replaced: { ...oldReply, repost: 'here' } });
  await database().updateTable('outbox').set(moved).where('id', '=', 'r1 end').execute();
  const slack = createSlack({
    remove: async () => ({ outcome: 'later', reason: 'x', retryAfterMs: 5 }),
  });
  const kinds = { ...slack.kinds, end: { open: async () => undefined } };
  const triedAt = Date.now();
  expect(await work({ ...slack, kinds }, 'r1 end')).toBeGreaterThan(triedAt + 500);
  expect(await post('r1 end')).toMatchObject({ state: 'waiting', replaced: oldReply });
});
