import { expect, it, onTestFinished, vi } from 'vitest';
import { useWorkspace } from '../../../packages/slack-stand-in/test/support/use-workspace.ts';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aPost, aRequest, aRun } from '../../support/builders.ts';
import { textOf } from '../../support/product/product.ts';
import { createSlackClient } from '../../support/slack-client.ts';

const { startWorkspace } = useWorkspace();
const channelId = 'C04ENGINEER';
const done = async () => undefined;
const outbox = { find: done, ofRequest: async () => [], planUnder: done };
const planNotices = async () => ({ outcome: 'planned', dueAt: null }) as const;

async function start() {
  const workspace = await startWorkspace();
  const client = createSlackClient(workspace);
  const parts = { client, clock: createSlackClock(), budget: createSlackBudget(), outbox };
  const kind = createRunMessageKind({ ...parts, planNotices });
  const open = async (done: number, changes: Partial<RunRequest> = {}) => {
    const titles = ['Find the bug', 'Fix it', 'Run the tests'];
    const plan = titles.map((title, index) => ({
      title,
      state: index < done ? 'completed' : 'in_progress',
    }));
    const run = aRun({ agent_progress: { plan } });
    const opened = await kind.open(aPost({ request: aRequest({ channelId, run, ...changes }) }));
    if (!opened?.kept) throw new Error('nothing to post');
    return { ...opened, kept: opened.kept };
  };
  const first = await (await open(0)).post();
  if (first.outcome !== 'posted') throw new Error(first.reason);
  return {
    workspace,
    show: async (done: number, changes?: Partial<RunRequest>) =>
      (await open(done, changes)).kept.update(first.place),
    reject: (error: string, times = 1) =>
      workspace.faults.inject({ name: 'error_answer', method: 'chat.update', error, times }),
    shown: () => textOf(workspace.messagesIn(channelId).at(-1)?.blocks),
    updates: () => workspace.traffic.recent().filter(({ name }) => name === 'chat.update').length,
  };
}

it('shows the plan as text where Slack rejects the block, and asks again only after an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { show, reject, shown, updates } = await start();
  expect(shown()).toContain('"type":"plan"');

  await reject('invalid_blocks');
  expect(await show(1)).toEqual({ outcome: 'shown' });
  expect(shown()).toContain('*Step 2 of 3: Fix it*\\n✅ Done: Find the bug');
  expect(shown()).not.toContain('"type":"plan"');
  expect(updates()).toBe(2);

  await show(2);
  expect(shown()).toContain('✅ Done: Fix it');
  expect(updates()).toBe(3);

  vi.setSystemTime(Date.now() + 60 * 60_000 + 1);
  await show(1);
  expect(shown()).toContain('"type":"plan"');
  expect(updates()).toBe(4);
});

it('says the state alone when Slack rejects the plain message too, and continues with plans', async () => {
  const { show, reject, shown } = await start();
  await reject('invalid_blocks', 2);
  await show(1);
  expect(shown()).toContain("Slack couldn't show the whole message.");
  await show(2);
  expect(shown()).toContain('"type":"plan"');
});

it('tries a plan again after an update that waits', async () => {
  const { show, reject, shown, workspace } = await start();
  await reject('invalid_blocks');
  await workspace.faults.inject({ name: 'rate_limited', method: 'chat.update' });
  expect(await show(1)).toMatchObject({ outcome: 'later' });
  await show(2);
  expect(shown()).toContain('"type":"plan"');
});
