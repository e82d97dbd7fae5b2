import { expect, it } from 'vitest';
import { useWorkspace } from '../../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createSlackBudget } from '../../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../../src/slack/posting/slack-clock.ts';
import { createNoticeKinds } from '../../../../src/slack/run-message/notices/notice-kinds.ts';
import { aPost, aRequest, aRun } from '../../../support/builders.ts';
import { createSlackClient } from '../../../support/slack-client.ts';
import { postNow } from '../post-now.ts';

const { startWorkspace } = useWorkspace();
const engineering = 'C04ENGINEER';
const general = 'C04GENERAL1';

async function start() {
  const workspace = await startWorkspace();
  const client = createSlackClient(workspace);
  const budget = createSlackBudget();
  const message = aPost({ state: 'posted', place: { channelId: engineering, ts: '1.000100' } });
  const { end } = createNoticeKinds({
    client,
    budget,
    clock: createSlackClock(),
    readNames: async () => new Map(),
    readAnswer: async () => undefined,
    answers: { find: async () => undefined },
    readNotified: async ({ creatorId }) => [{ userId: creatorId, optedIn: false }],
    outbox: { find: async () => message, plan: async () => 0 },
  });
  const request = aRequest({
    channelId: engineering,
    step: 'ended',
    run: aRun({ state: 'SUCCEEDED' }),
  });
  const content = { round: 'end', userId: null, names: [], toChannel: false };
  const reply = aPost({ id: 'T1-V1 end thread', kind: 'end', content, request });
  const waitFor = (channelId: string) =>
    budget.take({ kind: 'post', channelId, requestId: 'other', priority: 'urgent' });
  const replies = () =>
    workspace.messagesIn(engineering).filter(({ threadTs }) => threadTs === '1.000100');
  return {
    workspace,
    budget,
    request,
    waitFor,
    replies,
    async tell() {
      const opened = await end.open(reply);
      return opened && postNow(opened);
    },
  };
}

it('that is rate-limited delays other posts in its channel only', async () => {
  const { workspace, tell, waitFor } = await start();
  await workspace.faults.inject({
    name: 'rate_limited',
    method: 'chat.postMessage',
    retryAfterSeconds: 30,
  });
  expect(await tell()).toMatchObject({ outcome: 'later', isUndone: true });
  expect(waitFor(engineering)).toBeGreaterThan(20_000);
  expect(waitFor(general)).toBe(0);
});

it('waits for our own limit without blaming Slack', async () => {
  const { tell, budget, replies } = await start();
  budget.pause({ kind: 'post', channelId: engineering }, 60_000);
  const waiting = { outcome: 'later', reason: 'own_rate_limit', isUndone: true, isQuiet: true };
  expect(await tell()).toMatchObject(waiting);
  expect(replies()).toEqual([]);
});
