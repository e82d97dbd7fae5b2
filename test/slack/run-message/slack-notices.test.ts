import { expect, it } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createWebClient } from '../../../src/slack/connection/web-client.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createSlackNotices } from '../../../src/slack/run-message/slack-notices.ts';
import type { Notice } from '../../../src/store/outbox/notices.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const { startWorkspace } = useWorkspace();
const engineering = 'C04ENGINEER';
const general = 'C04GENERAL1';

async function start() {
  const workspace = await startWorkspace();
  const { botToken, apiUrl } = workspace;
  const client = createWebClient({ botToken, apiUrl, logger: createLogger('silent') });
  const budget = createSlackBudget();
  const notices = createSlackNotices({
    clock: createSlackClock(),
    ...{ client, budget, readNames: async () => new Map() },
    ...{ watchers: { list: async () => [] }, settings: { read: async () => undefined } },
  });
  const request = aRequest({
    ...{ channelId: engineering, messageChannelId: engineering, messageTs: '1.000100' },
    ...{ step: 'ended', run: aRun({ state: 'SUCCEEDED' }) },
  });
  const waitFor = (channelId: string) =>
    budget.take({ kind: 'post', channelId, requestId: 'other', isUrgent: true });
  const replies = () =>
    workspace.messagesIn(engineering).filter(({ threadTs }) => threadTs === '1.000100');
  return { workspace, budget, request, waitFor, replies, tell: () => notices.post(request, reply) };
}

const reply: Notice = {
  ...{ requestId: 'T1-V1', key: 'end thread', kind: 'end', userId: null, names: [] },
  ...{ toChannel: false, dueAt: 1, beganAt: 1, doneAt: null, movedAt: null },
};

it('that is rate-limited delays other posts in its channel only', async () => {
  const { workspace, tell, waitFor } = await start();
  await workspace.faults.inject({
    ...{ name: 'rate_limited', method: 'chat.postMessage', retryAfterSeconds: 30 },
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
