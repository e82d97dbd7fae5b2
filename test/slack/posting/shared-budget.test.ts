import { expect, it } from 'vitest';
import { createSlackBudget, type Priority } from '../../../src/slack/posting/slack-budget.ts';

const stepMs = 100;
const dayMs = 15 * 60_000;
const retryAfterMs = 30_000;
/** More changes than Slack allows: starts and ends of runs, and the progress of thirty runs. */
const changesPerMinute = 80;
const slack = { perMinute: 50, burst: 50 };

type Change = { sinceMs: number; dueMs: number; priority: Priority };

/** Creates a generator that returns the same numbers in each test run. */
function createDice() {
  let state = 7;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/**
 * Simulates a busy quarter of an hour. The first replica gets most of the work, and Slack rejects calls above its
 * limit.
 */
async function liveWith(replicas: number, isShared: boolean) {
  const roll = createDice();
  let now = 0;
  let wholeAt = 0;
  const spend = async (_: string, spentMs: number) => {
    wholeAt = Math.max(wholeAt, now) + spentMs;
    return wholeAt - now;
  };
  const budgets = Array.from({ length: replicas }, () =>
    createSlackBudget(() => now, isShared ? spend : undefined),
  );
  let [tokens, rejected, made, nextChangeMs] = [slack.burst, 0, 0, 0];
  const changes = new Map<string, Change>();
  const endsWaited: number[] = [];

  function change(): void {
    const kind = roll();
    const priority = kind < 0.25 ? 'urgent' : kind < 0.5 ? 'usual' : 'progress';
    const id = priority === 'progress' ? `busy${Math.floor(30 * roll())}` : `run${nextChangeMs}`;
    if (!changes.has(id)) changes.set(id, { sinceMs: now, dueMs: now, priority });
  }

  async function work(id: string, { sinceMs, priority }: Change): Promise<number | undefined> {
    const budget = budgets[Math.floor(replicas * roll() ** 3)];
    const write = { kind: 'update', channelId: 'C1', requestId: id, priority } as const;
    const waitMs = (await budget?.takeShared(write)) ?? 0;
    if (waitMs > 0) return now + waitMs;
    if (tokens < 1) {
      rejected += 1;
      budget?.pause(write, retryAfterMs);
      return now + retryAfterMs;
    }
    tokens -= 1;
    made += 1;
    if (priority === 'urgent') endsWaited.push(now - sinceMs);
    return undefined;
  }

  for (; now < dayMs; now += stepMs) {
    tokens = Math.min(slack.burst, tokens + (stepMs / 60_000) * slack.perMinute);
    for (; nextChangeMs <= now; nextChangeMs += 60_000 / changesPerMinute) change();
    for (const [id, each] of changes) {
      if (each.dueMs > now) continue;
      const dueMs = await work(id, each);
      if (dueMs === undefined) changes.delete(id);
      else each.dueMs = dueMs;
    }
  }
  endsWaited.sort((one, other) => one - other);
  const [medianMs = 0, longestMs = 0] = [
    endsWaited[Math.floor(endsWaited.length / 2)],
    endsWaited.at(-1),
  ];
  return { rejected, made, medianMs, longestMs };
}

it('keeps three replicas together below the limit, with ends first', async () => {
  const shared = await liveWith(3, true);
  const one = await liveWith(1, false);
  expect(shared).toMatchObject({ rejected: 0, longestMs: 0 });
  expect(shared.made).toBeGreaterThan(0.95 * one.made);
  // With separate budgets, Slack rejects the excess calls without regard to urgency.
  const apart = await liveWith(3, false);
  expect(apart.rejected).toBeGreaterThan(50);
  expect(apart.medianMs).toBeGreaterThan(30_000);
});

it('makes one replica wait no longer than without others to share with', async () => {
  const [shared, alone] = [await liveWith(1, true), await liveWith(1, false)];
  expect(shared).toMatchObject({ rejected: 0, longestMs: alone.longestMs });
  expect(shared.made).toBeGreaterThan(0.95 * alone.made);
});
