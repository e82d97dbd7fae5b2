import { fileURLToPath } from 'node:url';
import { readManifest } from 'slack-stand-in/manifest';
import { expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createWebClient } from '../../../src/slack/connection/web-client.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createSlackNotices } from '../../../src/slack/run-message/slack-notices.ts';
import { createSlackRunMessages } from '../../../src/slack/run-message/slack-run-messages.ts';
import type { Notice } from '../../../src/store/outbox/notices.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const { startWorkspace } = useWorkspace();
// With our scopes, the app may post in public channels without being a member.
const manifest = readManifest(fileURLToPath(new URL('../../../manifest.yml', import.meta.url)));
const engineering = 'C04ENGINEER';
const notIn = 'C04RANDOM01';

async function start(changes: Parameters<typeof aRequest>[0] = {}) {
  const workspace = await startWorkspace({ manifest });
  const { botToken, apiUrl } = workspace;
  const client = createWebClient({ botToken, apiUrl, logger: createLogger('silent') });
  const budget = createSlackBudget();
  const messages = createSlackRunMessages({ client, budget, clock: createSlackClock() });
  const notices = createSlackNotices({
    clock: createSlackClock(),
    budget,
    client,
    watchers: { list: async () => [] },
    settings: { read: async () => undefined },
    readNames: async () => new Map(),
  });
  const creatorId = workspace.people[0]?.id ?? '';
  const asked = { creatorId, channelId: engineering, messageTs: null, messageChannelId: null };
  const request = aRequest({
    ...asked,
    acceptedAt: Date.now(),
    duplicateSuspectedAt: Date.now(),
    ...changes,
  });
  const post = async (changed: Parameters<typeof aRequest>[0] = {}) => {
    const posted = await messages.post({ ...request, ...changed }, messages.render(request));
    if (posted.outcome !== 'posted') throw new Error(posted.reason);
    return posted.place;
  };
  return { workspace, messages, notices, request, post };
}

const placed = ({ channelId, ts }: { channelId: string; ts: string }) => ({
  messageChannelId: channelId,
  messageTs: ts,
});

it('finds every other message of the same request, in the channel and in direct messages', async () => {
  const { messages, request, post, workspace } = await start();
  const stays = await post();
  const second = await post();
  await post({ id: 'somebody-else' });
  await workspace.faults.inject({
    name: 'error_answer',
    method: 'chat.postMessage',
    error: 'is_archived',
  });
  const direct = await post();
  expect(direct.channelId).not.toBe(engineering);
  const found = await messages.findDuplicates({ ...request, ...placed(stays) });
  expect(found).toEqual({ outcome: 'found', places: [second, direct] });
});

it('finds a duplicate that was posted before the latest suspicion', async () => {
  const { messages, request, post } = await start();
  const [stays, second] = [await post(), await post()];
  const doubted = { ...request, duplicateSuspectedAt: Date.now() + 30 * 60_000 };
  const found = await messages.findDuplicates({ ...doubted, ...placed(stays) });
  expect(found).toEqual({ outcome: 'found', places: [second] });
});

it('finds a duplicate of a message that someone deleted', async () => {
  const { messages, request, post } = await start();
  const second = await post();
  const gone = { messageChannelId: engineering, messageTs: null };
  const found = await messages.findDuplicates({ ...request, ...gone });
  expect(found).toEqual({ outcome: 'found', places: [second] });
});

it('joins a public channel to find what it posted there', async () => {
  const { messages, request, post } = await start({ channelId: notIn });
  const place = await post();
  expect(place.channelId).toBe(notIn);
  expect(await messages.find(request)).toEqual({ outcome: 'posted', place });
});

it('removes a message, and reports one that is already gone', async () => {
  const { messages, request, post } = await start();
  const [stays, second] = [await post(), await post()];
  expect(await messages.remove(second)).toEqual({ outcome: 'removed' });
  expect(await messages.remove(second)).toEqual({
    outcome: 'refused',
    reason: 'message_not_found',
  });
  const found = await messages.findDuplicates({ ...request, ...placed(stays) });
  expect(found).toEqual({ outcome: 'found', places: [] });
});

it('looks for duplicates in the thread that the request came from', async () => {
  const { messages, request, post } = await start();
  const { ts: threadTs } = await post({ id: 'somebody-else' });
  const origin = { via: 'mention', threadTs } as never;
  const [stays, second] = [await post({ origin }), await post({ origin })];
  const found = await messages.findDuplicates({ ...request, origin, ...placed(stays) });
  expect(found).toEqual({ outcome: 'found', places: [second] });
});

it('finds every reply at the end except the first', async () => {
  const { messages, notices, request, post } = await start();
  const ended = { ...request, ...placed(await post()), run: aRun({ state: 'SUCCEEDED' }) };
  const userId = request.creatorId;
  for (const notice of [inThread, { ...inThread, key: `end ${userId}`, userId }]) {
    const replies = [await notices.post(ended, notice), await notices.post(ended, notice)];
    const found = await notices.findDuplicates(ended, notice);
    expect(found).toMatchObject({ outcome: 'found', places: [{ ...placeOf(replies[1]) }] });
    if (found.outcome === 'found' && found.places[0]) await messages.remove(found.places[0]);
    expect(await notices.findDuplicates(ended, notice)).toMatchObject({
      outcome: 'found',
      places: [],
    });
  }
});

it('finds the reply below a replaced message, to post it again in the new thread', async () => {
  const { notices, request, post } = await start();
  const old = await post();
  const ended = { ...request, run: aRun({ state: 'SUCCEEDED' }) };
  const before = await notices.post({ ...ended, ...placed(old) }, inThread);
  const lost = { replacedChannelId: old.channelId, replacedMessageTs: old.ts };
  const moved = { ...ended, ...placed(await post()), ...lost };
  expect(await notices.find(moved, inThread)).toEqual({ outcome: 'absent' });
  const found = await notices.findDuplicates(moved, inThread);
  expect(found).toEqual({ outcome: 'found', places: [placeOf(before)], isMisplaced: true });
});

it('finds the reply below a deleted message when the new thread has one too', async () => {
  const { messages, notices, request, post } = await start();
  const old = await post();
  const ended = { ...request, run: aRun({ state: 'SUCCEEDED' }) };
  const before = await notices.post({ ...ended, ...placed(old) }, inThread);
  const lost = { replacedChannelId: old.channelId, replacedMessageTs: old.ts };
  const moved = { ...ended, ...placed(await post()), ...lost };
  await notices.post(moved, inThread);
  await messages.remove(old);
  const found = await notices.findDuplicates(moved, inThread);
  expect(found).toMatchObject({ outcome: 'found', places: [placeOf(before)] });
});

const inThread: Notice = {
  requestId: 'T1-V1',
  key: 'end thread',
  kind: 'end',
  userId: null,
  names: [],
  toChannel: false,
  dueAt: Date.now(),
  beganAt: 1,
  doneAt: null,
  movedAt: null,
};

const placeOf = (outcome: unknown) => (outcome as { place: object }).place;

it("looks again later when Slack doesn't answer", async () => {
  const { messages, notices, request, workspace } = await start();
  await workspace.faults.inject({ name: 'server_error', method: '*', times: 2 });
  const known = { ...request, messageChannelId: engineering, messageTs: '1.0' };
  expect(await messages.findDuplicates(known)).toMatchObject({ outcome: 'later' });
  expect(await notices.findDuplicates(known, inThread)).toMatchObject({ outcome: 'later' });
});
