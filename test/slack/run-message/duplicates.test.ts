import { fileURLToPath } from 'node:url';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import type { OpenPost, PostKind } from '../../../src/outbox/post-kind.ts';
import { createMessageRemover } from '../../../src/slack/posting/post-message.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createNoticeKinds } from '../../../src/slack/run-message/notices/notice-kinds.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { Post } from '../../../src/store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aPost, aRequest, aRun } from '../../support/builders.ts';
import { createSlackClient } from '../../support/slack-client.ts';
import { postNow } from './post-now.ts';

const { startWorkspace } = useWorkspace();
// The manifest's scopes let the app post in public channels that it isn't in.
const manifest = readManifest(fileURLToPath(new URL('../../../manifest.yml', import.meta.url)));
const engineering = 'C04ENGINEER';
const notIn = 'C04RANDOM01';

async function start(changes: Partial<RunRequest> = {}) {
  const workspace = await startWorkspace({ manifest });
  const client = createSlackClient(workspace);
  const clock = createSlackClock();
  const parts = { client, clock, budget: createSlackBudget(), readNames: async () => new Map() };
  const creatorId = workspace.people[0]?.id ?? '';
  const request = aRequest({
    creatorId,
    channelId: engineering,
    acceptedAt: Date.now(),
    ...changes,
  });
  const message = aPost({ suspectedAt: Date.now(), createdAt: Date.now() });
  const done = async () => undefined;
  const outbox = { find: done, ofRequest: async () => [], planUnder: done };
  const runMessage = createRunMessageKind({ ...parts, outbox, planNotices: notifiesNobody });
  const open = async (kind: PostKind, post: Post) => {
    const opened = await kind.open(post);
    if (!opened) throw new Error('nothing to post');
    return opened;
  };
  const openMessage = (changed: Partial<Post> = {}, asked: Partial<RunRequest> = {}) =>
    open(runMessage, { ...message, request: { ...request, ...asked }, ...changed });
  const openReply = (changed: Partial<Post>, below: Partial<Post>) => {
    const find = async () => ({ ...message, state: 'posted' as const, ...below });
    const { end } = createNoticeKinds({
      ...parts,
      readAnswer: async () => undefined,
      answers: { find: async () => undefined },
      readNotified: async ({ creatorId }) => [{ userId: creatorId, optedIn: false }],
      outbox: { find, plan: async () => 0 },
    });
    const ended = { ...request, step: 'ended' as const, run: aRun({ state: 'SUCCEEDED' }) };
    return open(end, { ...inThread, createdAt: Date.now(), request: ended, ...changed });
  };
  const post = async (asked: Partial<RunRequest> = {}) => send(await openMessage({}, asked));
  return { workspace, request, post, openMessage, openReply, remove: createMessageRemover(client) };
}

const notifiesNobody = async () => ({ outcome: 'planned', dueAt: null }) as const;
const content = { round: 'end', userId: null, names: [], toChannel: false };
const inThread = aPost({ id: 'T1-V1 end thread', kind: 'end', content });

const callsOf = ({ traffic }: Awaited<ReturnType<typeof start>>['workspace'], method: string) =>
  traffic.recent().filter(({ direction, name }) => direction === 'call' && name === method);

async function send(opened: OpenPost) {
  const posted = await postNow(opened);
  if (posted.outcome !== 'posted') throw new Error(posted.reason);
  return posted.place;
}

it('finds every message of the same request, in the channel and in direct messages', async () => {
  const { openMessage, post, workspace } = await start();
  const first = await post();
  const second = await post();
  await post({ id: 'somebody-else' });
  await workspace.faults.inject({
    name: 'error_answer',
    method: 'chat.postMessage',
    error: 'is_archived',
  });
  const direct = await post();
  expect(direct.channelId).not.toBe(engineering);
  const found = await (await openMessage()).findCopies();
  expect(found).toEqual({ outcome: 'found', places: [second, first, direct] });
});

it('finds a duplicate that was posted before the latest suspicion', async () => {
  const { openMessage, post } = await start();
  const [first, second] = [await post(), await post()];
  const opened = await openMessage({ suspectedAt: Date.now() + 30 * 60_000 });
  expect(await opened.findCopies()).toEqual({ outcome: 'found', places: [second, first] });
});

it("posts to the creator instead of joining a channel that it can't read, and finds that post", async () => {
  const { openMessage, post, workspace, request } = await start({ channelId: notIn });
  expect((await post()).channelId).toBe(notIn);
  const opened = await openMessage();
  expect(await opened.find()).toEqual({ outcome: 'absent' });
  const direct = await send(opened);
  expect(direct.channelId).toBe(workspace.as(request.creatorId).directChannelId);
  expect(await (await openMessage()).find()).toEqual({ outcome: 'posted', place: direct });
  expect(await (await openMessage()).findCopies()).toEqual({ outcome: 'found', places: [direct] });
  expect(callsOf(workspace, 'conversations.join')).toEqual([]);
});

it("takes a reply for rejected in a thread that it can't read", async () => {
  const { openReply, post, workspace } = await start({ channelId: notIn });
  const reply = await openReply({}, { place: await post() });
  await send(reply);
  const rejected = { outcome: 'rejected', reason: 'not_in_channel' };
  expect([await reply.find(), await reply.findCopies()]).toEqual([rejected, rejected]);
  expect(callsOf(workspace, 'conversations.join')).toEqual([]);
});

it("doesn't take the message that it replaces for the new one", async () => {
  const { openMessage, post } = await start();
  const replaced = { ...(await post()), repost: 'here' } as const;
  expect(await (await openMessage({ replaced })).find()).toEqual({ outcome: 'absent' });
});

it('removes a message, and reports one that is already gone', async () => {
  const { openMessage, post, remove } = await start();
  const [stays, second] = [await post(), await post()];
  expect(await remove(second)).toEqual({ outcome: 'removed' });
  expect(await remove(second)).toEqual({ outcome: 'rejected', reason: 'message_not_found' });
  const found = await (await openMessage()).findCopies();
  expect(found).toEqual({ outcome: 'found', places: [stays] });
});

it('looks for duplicates in the thread that the request came from', async () => {
  const { openMessage, post } = await start();
  const { ts: threadTs } = await post({ id: 'somebody-else' });
  const origin = { kind: 'mention', threadTs } as const;
  const [first, second] = [await post({ origin }), await post({ origin })];
  const found = await (await openMessage({}, { origin })).findCopies();
  const places = found.outcome === 'found' ? found.places : [];
  expect(places).toHaveLength(2);
  expect(places).toEqual(expect.arrayContaining([first, second]));
});

it('finds every reply at the end, in the thread and in direct messages', async () => {
  const { openReply, post, request } = await start();
  const place = await post();
  const direct = { ...content, userId: request.creatorId };
  for (const post of [{}, { id: 'direct', content: direct }]) {
    const reply = await openReply(post, { place });
    const replies = [await send(reply), await send(reply)];
    const found = await reply.findCopies();
    const places = found.outcome === 'found' ? found.places : [];
    expect(places).toHaveLength(2);
    expect(places).toEqual(expect.arrayContaining(replies));
  }
});

it('finds a reply that arrived below a replaced message, and takes it for a copy only', async () => {
  const { openReply, post } = await start();
  const old = await post();
  const late = await send(await openReply({}, { place: old }));
  const replaced = { ...old, repost: 'here' } as const;
  const moved = await openReply({}, { place: await post(), replaced });
  expect(await moved.find()).toEqual({ outcome: 'absent' });
  expect(await moved.findCopies()).toEqual({ outcome: 'found', places: [late] });
});

it('finds the reply below a deleted message when the new thread has one too', async () => {
  const { openReply, post, remove } = await start();
  const old = await post();
  const late = await send(await openReply({}, { place: old }));
  const replaced = { ...old, repost: 'here' } as const;
  const moved = await openReply({}, { place: await post(), replaced });
  const current = await send(moved);
  await remove(old);
  expect(await moved.findCopies()).toEqual({ outcome: 'found', places: [current, late] });
});

it("looks again later when Slack doesn't answer", async () => {
  const { openMessage, openReply, workspace } = await start();
  await workspace.faults.inject({ name: 'server_error', method: '*', times: 2 });
  const place = { channelId: engineering, ts: '1.0' };
  expect(await (await openMessage()).findCopies()).toMatchObject({ outcome: 'later' });
  expect(await (await openReply({}, { place })).findCopies()).toMatchObject({ outcome: 'later' });
});
