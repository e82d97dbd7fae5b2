import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import type { OpenPost, PostKind } from '../../../src/outbox/post-kind.ts';
import { postOnce } from '../../../src/outbox/post-once.ts';
import { createWebClient } from '../../../src/slack/connection/calls/web-client.ts';
import { fixedToken } from '../../../src/slack/connection/installations/installations.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createNoticeKinds } from '../../../src/slack/run-message/notices/notice-kinds.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { Post } from '../../../src/store/outbox/outbox-row.ts';
import { aPost, aRequest, aRun } from '../../support/builders.ts';
import { postNow } from './post-now.ts';

const { startWorkspace } = useWorkspace();
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Lead of our clock in ms: first when a request is accepted, then when its message is searched for. */
const cases: [number, number][] = [
  [dayMs, dayMs],
  [-dayMs, -dayMs],
  [0, 7 * minuteMs],
  [0, -7 * minuteMs],
  [dayMs, 0],
  [-dayMs, 0],
];

async function start(aheadMs: number) {
  const workspace = await startWorkspace();
  const { botToken, apiUrl, people } = workspace;
  const own = { aheadMs };
  const nowOfOurs = () => Date.now() + own.aheadMs;
  const clock = createSlackClock(nowOfOurs);
  const client = createWebClient({
    tokens: fixedToken(botToken),
    apiUrl,
    logger: createLogger('silent'),
    clock,
  });
  const parts = { client, clock, budget: createSlackBudget() };
  await client.auth.test();
  const request = aRequest({
    creatorId: people[0]?.id ?? '',
    channelId: 'C04ENGINEER',
    step: 'ended',
    endedAt: 5,
    acceptedAt: nowOfOurs(),
    run: aRun({ state: 'SUCCEEDED' }),
  });
  const done = async () => undefined;
  const outbox = { find: done, ofRequest: async () => [], planUnder: done };
  const runMessage = createRunMessageKind({ ...parts, outbox, planNotices: notifiesNobody });
  const message = (changes: Partial<Post> = {}) =>
    aPost({
      createdAt: nowOfOurs(),
      suspectedAt: nowOfOurs(),
      beganAt: clock.nowMs(),
      request,
      ...changes,
    });
  const open = async (kind: PostKind, post: Post) => {
    const opened = await kind.open(post);
    if (!opened) throw new Error('nothing to post');
    return opened;
  };
  const send = async (opened: OpenPost) => {
    const sent = await postNow(opened);
    if (sent.outcome !== 'posted') throw new Error(sent.outcome);
    return sent.place;
  };
  return { parts, runMessage, message, open, send, clock, own, nowOfOurs, request };
}

const notifiesNobody = async () => ({ outcome: 'planned', dueAt: null }) as const;

describe.each(cases)('a clock that is %i ms ahead of Slack, then %i ms', (firstMs, thenMs) => {
  it("doesn't hide a posted message or its duplicate", async () => {
    const { runMessage, message, open, send, own } = await start(firstMs);
    const post = message();
    const opened = await open(runMessage, post);
    const [first, second] = [await send(opened), await send(opened)];
    own.aheadMs = thenMs;
    expect(await opened.find()).toEqual({ outcome: 'posted', place: second });
    const unbegun = await open(runMessage, { ...post, beganAt: null });
    expect(await unbegun.find()).toMatchObject({ place: second });
    expect(await opened.findCopies()).toEqual({ outcome: 'found', places: [second, first] });
  });

  it("doesn't hide a reply at the end or its duplicate", async () => {
    const { parts, runMessage, message, open, send, own, clock, nowOfOurs, request } =
      await start(firstMs);
    const place = await send(await open(runMessage, message()));
    const find = async () => message({ state: 'posted', place });
    const outbox = { find, plan: async () => 0 };
    const { end } = createNoticeKinds({
      ...parts,
      readAnswer: async () => undefined,
      readNames: async () => new Map(),
      answers: { find: async () => undefined },
      readNotified: async ({ creatorId }) => [{ userId: creatorId, optedIn: false }],
      outbox,
    });
    for (const userId of [null, request.creatorId]) {
      const post = aPost({
        id: `end ${userId}`,
        kind: 'end',
        request,
        content: { round: 'end', userId, names: [], toChannel: false },
        createdAt: nowOfOurs(),
        beganAt: clock.nowMs(),
      });
      const reply = await open(end, post);
      const first = await send(reply);
      own.aheadMs = thenMs;
      expect(await reply.find()).toEqual({ outcome: 'posted', place: first });
      const second = await send(reply);
      const found = await reply.findCopies();
      const places = found.outcome === 'found' ? found.places : [];
      expect(places).toHaveLength(2);
      expect(places).toEqual(expect.arrayContaining([first, second]));
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
    // These times were stored by our clock, before Slack's was known.
    [1_000_000 + 24 * 60 * minuteMs, 'posted'],
    [1_000_000 - 24 * 60 * minuteMs, 'posted'],
  ])('that began at %i of 1,000,000 ms is %s', async (beganAt, outcome) => {
    expect((await postOnce(lost(beganAt))).outcome).toBe(outcome);
  });
});
