import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createSlackBudget } from '../../../src/slack/posting/slack-budget.ts';
import { createSlackClock } from '../../../src/slack/posting/slack-clock.ts';
import { createRunMessageKind } from '../../../src/slack/run-message/run-message-kind.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aPost, aRequest, aRun } from '../../support/builders.ts';

const progress = (step: string) => ({ agent_progress: { step, plan: [] } });
const question = {
  ...progress('Waiting'),
  agent_progress: { question: { id: 'q', text: 'May it?', options: [] } },
};

const waiting: Record<string, Partial<RunRequest>> = {
  progress: { run: aRun(progress('Running tests')) },
  state: { run: aRun({ state: 'QUEUED' }) },
  question: { run: aRun({ state: 'BLOCKED', ...question }) },
  end: { step: 'ended', run: aRun({ state: 'SUCCEEDED', ...progress('Done') }) },
};

/** Creates messages whose updates all request a call as early as possible. */
function start() {
  let at = 0;
  const budget = createSlackBudget(() => at);
  const done = async () => undefined;
  const kind = createRunMessageKind({
    client: new WebClient(),
    clock: createSlackClock(),
    budget,
    outbox: { find: done, ofRequest: async () => [], planUnder: done },
    planNotices: async () => ({ outcome: 'planned', dueAt: null }),
  });
  async function ask(id: string, changes: Partial<RunRequest>) {
    const opened = await kind.open(aPost({ request: aRequest({ id, ...changes }) }));
    return (await opened?.kept?.waitMs('update')) ?? Number.NaN;
  }
  return { ask, pass: (ms: number) => (at += ms), now: () => at };
}

it('shows ends first, then questions, then states, and progress last while Slack takes no more', async () => {
  const { ask, pass, now } = start();
  for (let number = 0; number < 25; number += 1)
    expect(await ask(`end-${number}`, waiting['end'] ?? {})).toBe(0);
  const askAt = new Map(Object.keys(waiting).map((name) => [name, 0]));
  const shown: string[] = [];
  while (askAt.size > 0) {
    for (const [name, dueAt] of [...askAt]) {
      if (dueAt > now()) continue;
      const waitMs = await ask(name, waiting[name] ?? {});
      if (waitMs === 0) {
        shown.push(name);
        askAt.delete(name);
      } else askAt.set(name, now() + waitMs);
    }
    pass(100);
  }
  expect(shown).toEqual(['end', 'question', 'state', 'progress']);
});

it('shows where runs are in the queue as seldom as their progress', async () => {
  const { ask } = start();
  const queued = (place: string) => ({
    run: aRun({ state: 'QUEUED', status_message: { message: `${place} in the queue` } }),
  });
  expect(await ask('waiting', queued('3 runs ahead'))).toBe(0);
  expect(await ask('waiting', queued('2 runs ahead'))).toBe(3_000);
  expect(await ask('waiting', waiting['end'] ?? {})).toBe(0);
});

it('shows a question soon, even if the states of a thousand runs wait', async () => {
  const { ask, pass } = start();
  for (let number = 0; number < 1_000; number += 1)
    await ask(`state-${number}`, waiting['state'] ?? {});
  expect(await ask('question', waiting['question'] ?? {})).toBe(0);
  pass(1_000);
  expect(await ask('progress', waiting['progress'] ?? {})).toBeGreaterThan(5_000);
});

it("shows a run's progress every three seconds at most", async () => {
  const { ask, pass } = start();
  expect(await ask('a', waiting['progress'] ?? {})).toBe(0);
  pass(2_000);
  expect(await ask('a', { run: aRun(progress('Still running')) })).toBe(1_000);
});
