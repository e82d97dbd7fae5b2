import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { postOnce } from '../../../src/following/post-once.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createWebClient } from '../../../src/slack/connection/web-client.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createSlackNotices } from '../../../src/slack/run-message/slack-notices.ts';
import { createSlackRunMessages } from '../../../src/slack/run-message/slack-run-messages.ts';
import type { Notice } from '../../../src/store/outbox/notices.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const { startWorkspace } = useWorkspace();
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const offsets = [secondMs, minuteMs, 290 * secondMs, 7 * minuteMs, 24 * 60 * minuteMs].flatMap(
  (ms) => [ms, -ms],
);
/** How far our clock is ahead: when a request is accepted, and when its message is searched for. */
const cases = [
  ...offsets.map((ms) => [ms, ms]),
  ...offsets.map((ms) => [0, ms]),
  ...offsets.map((ms) => [ms, 0]),
] as [number, number][];

async function start(aheadMs: number) {
  const workspace = await startWorkspace();
  const { botToken, apiUrl, people } = workspace;
  const own = { aheadMs };
  const nowOfOurs = () => Date.now() + own.aheadMs;
  const clock = createSlackClock(nowOfOurs);
  const client = createWebClient({ botToken, apiUrl, logger: createLogger('silent'), clock });
  const parts = { client, clock, budget: createSlackBudget() };
  const messages = createSlackRunMessages(parts);
  const notices = createSlackNotices({
    ...parts,
    watchers: { list: async () => [] },
    settings: { read: async () => undefined },
    readNames: async () => new Map(),
  });
  await client.auth.test();
  const request = aRequest({
    creatorId: people[0]?.id ?? '',
    channelId: 'C04ENGINEER',
    ...{ messageTs: null, messageChannelId: null },
    acceptedAt: nowOfOurs(),
    duplicateSuspectedAt: nowOfOurs(),
    postBeganAt: clock.nowMs(),
    run: aRun({ state: 'SUCCEEDED' }),
  });
  const post = async () => {
    const posted = await messages.post(request, messages.render(request));
    if (posted.outcome !== 'posted') throw new Error(posted.reason);
    return posted.place;
  };
  return { messages, notices, clock, own, nowOfOurs, request, post };
}

describe.each(cases)('a clock that is %i ms ahead of Slack, then %i ms', (firstMs, thenMs) => {
  it("doesn't hide a posted message or its duplicate", async () => {
    const { messages, own, request, post } = await start(firstMs);
    const [first, second] = [await post(), await post()];
    own.aheadMs = thenMs;
    expect(await messages.find(request)).toEqual({ outcome: 'posted', place: second });
    expect(await messages.find({ ...request, postBeganAt: null })).toMatchObject({ place: second });
    const placed = { messageChannelId: second.channelId, messageTs: second.ts };
    const found = await messages.findDuplicates({ ...request, ...placed });
    expect(found).toEqual({ outcome: 'found', places: [first] });
  });

  it("doesn't hide a reply at the end or its duplicate", async () => {
    const { notices, own, clock, nowOfOurs, request, post } = await start(firstMs);
    const { channelId: messageChannelId, ts: messageTs } = await post();
    const ended = { ...request, messageChannelId, messageTs };
    const plain = { requestId: request.id, names: [], toChannel: false, doneAt: null };
    for (const userId of [null, request.creatorId]) {
      const notice: Notice = {
        ...{ ...plain, userId, key: `end ${userId}`, kind: 'end', movedAt: null },
        ...{ dueAt: nowOfOurs(), beganAt: clock.nowMs() },
      };
      const first = await notices.post(ended, notice);
      expect(first.outcome).toBe('posted');
      own.aheadMs = thenMs;
      expect(await notices.find(ended, notice)).toEqual(first);
      await notices.post(ended, notice);
      expect(await notices.findDuplicates(ended, notice)).toMatchObject({ places: [{}] });
      own.aheadMs = firstMs;
    }
  });
});

describe('a post whose answer was lost', () => {
  const posted = { outcome: 'posted', place: { channelId: 'C1', ts: '1.1' } } as const;
  const lost = (beganAt: number) => ({
    beganAt,
    nowMs: () => 1_000_000,
    begin: async () => undefined,
    find: async () => ({ outcome: 'absent' }) as const,
    post: async () => posted,
  });

  it.each([
    [999_000, 'unsettled'],
    [990_000, 'posted'],
    // Stored before Slack's clock was known.
    [1_000_000 + 24 * 60 * minuteMs, 'posted'],
    [1_000_000 - 24 * 60 * minuteMs, 'posted'],
  ])('that began at %i of 1,000,000 ms is %s', async (beganAt, outcome) => {
    expect((await postOnce(lost(beganAt))).outcome).toBe(outcome);
  });
});
