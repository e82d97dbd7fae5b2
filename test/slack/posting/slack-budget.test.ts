import { describe, expect, it } from 'vitest';
import {
  createSlackBudget,
  type WriteReservation,
} from '../../../src/slack/posting/slack-budget.ts';

const update = (changes: Partial<WriteReservation> = {}): WriteReservation => ({
  kind: 'update',
  channelId: 'C1',
  requestId: 'r1',
  priority: 'usual',
  ...changes,
});
const post = (channelId: string): WriteReservation => ({
  kind: 'post',
  channelId,
  requestId: 'r1',
  priority: 'urgent',
});
const minuteMs = 60_000;

function aBudget() {
  let at = 0;
  const budget = createSlackBudget(() => at);
  const takeAll = (write: WriteReservation) => {
    let taken = 0;
    while (budget.take(write) === 0) taken += 1;
    return taken;
  };
  return { budget, takeAll, pass: (ms: number) => (at += ms) };
}

describe('the budget of writes to Slack', () => {
  it('allows at most fifty updates a minute after the first burst', () => {
    const { takeAll, pass } = aBudget();
    takeAll(update());
    let taken = 0;
    for (let second = 0; second < 60; second += 1) {
      pass(1_000);
      taken += takeAll(update());
    }
    expect(taken).toBeLessThanOrEqual(50);
    expect(taken).toBeGreaterThanOrEqual(48);
  });

  it('keeps room for urgent updates', () => {
    const { takeAll } = aBudget();
    takeAll(update());
    expect(takeAll(update({ priority: 'urgent' }))).toBe(8);
  });

  it('keeps room for questions, and of that for ends', () => {
    const { takeAll } = aBudget();
    takeAll(update());
    expect(takeAll(update({ priority: 'question' }))).toBe(4);
    expect(takeAll(update({ priority: 'urgent' }))).toBe(4);
  });

  it('keeps room for news from the progress of runs', () => {
    const { budget, takeAll } = aBudget();
    const progress = (run: number) => update({ requestId: `run${run}`, priority: 'progress' });
    const shown = Array.from({ length: 25 }, (_, run) => budget.take(progress(run)));
    expect(shown.filter((waitMs) => waitMs === 0)).toHaveLength(9);
    expect(takeAll(update())).toBe(8);
    expect(takeAll(update({ priority: 'urgent' }))).toBe(8);
  });

  it('shows the progress of a run at most every 3 seconds, and its end at once', () => {
    const { budget, pass } = aBudget();
    const progress = update({ priority: 'progress' });
    expect(budget.take(progress)).toBe(0);
    pass(1_000);
    expect(budget.take(progress)).toBe(2_000);
    expect(budget.take(update({ priority: 'urgent' }))).toBe(0);
    pass(2_000);
    expect(budget.take(progress)).toBe(0);
  });

  it('returns how long to wait, and has room after that', () => {
    const { budget, takeAll, pass } = aBudget();
    takeAll(update());
    const waitMs = budget.take(update());
    expect(waitMs).toBeGreaterThan(0);
    pass(waitMs);
    expect(budget.take(update())).toBe(0);
  });

  it('spreads out the requests that wait', () => {
    const { budget, takeAll } = aBudget();
    takeAll(update());
    const waits = ['r2', 'r3', 'r4'].map((requestId) => budget.take(update({ requestId })));
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(new Set(waits).size).toBe(3);
  });

  it('makes an urgent update wait only for other urgent ones', () => {
    const { budget, takeAll } = aBudget();
    takeAll(update({ priority: 'urgent' }));
    for (let n = 0; n < 1_000; n += 1) budget.take(update({ requestId: `r${n}` }));
    const ends = Array.from({ length: 10 }, (_, n) =>
      budget.take(update({ requestId: `end${n}`, priority: 'urgent' })),
    );
    expect(Math.max(...ends)).toBeLessThan(minuteMs / 2);
    expect(new Set(ends).size).toBe(ends.length);
  });

  it('keeps one place for a run that changes again while it waits', () => {
    const { budget, takeAll, pass } = aBudget();
    takeAll(update());
    const firstMs = budget.take(update({ requestId: 'busy' }));
    for (let n = 0; n < 1_000; n += 1) budget.take(update({ requestId: 'busy' }));
    expect(budget.take(update({ requestId: 'busy' }))).toBe(firstMs);
    expect(budget.take(update({ requestId: 'other' }))).toBeLessThan(minuteMs / 2);
    pass(firstMs);
    expect(budget.take(update({ requestId: 'busy' }))).toBe(0);
  });

  it('forgets requests that waited and never returned', () => {
    const { budget, takeAll, pass } = aBudget();
    takeAll(update({ priority: 'urgent' }));
    for (let n = 0; n < 1_000; n += 1) budget.take(update({ requestId: `healed${n}` }));
    pass(minuteMs);
    expect(takeAll(update())).toBe(17);
    expect(budget.take(update({ requestId: 'r1' }))).toBeLessThan(minuteMs / 2);
  });

  it('counts posts by channel', () => {
    const { budget, takeAll } = aBudget();
    expect(takeAll(post('C1'))).toBe(3);
    expect(budget.take(post('C2'))).toBe(0);
    expect(budget.take(update())).toBe(0);
  });

  it('returns an increasing wait for posts that are reserved at once', () => {
    const { budget } = aBudget();
    const reserve = (n: number) => budget.reserve({ ...post('C1'), requestId: `r${n}` });
    const waits = Array.from({ length: 200 }, (_, n) => reserve(n));
    expect(waits.slice(0, 5)).toEqual([0, 0, 0, 1_000, 2_000]);
    expect(waits.at(-1)).toBe(197_000);
    expect(budget.take({ ...post('C1'), requestId: 'r0' })).toBe(0);
    expect(budget.take({ ...post('C1'), requestId: 'r199' })).toBe(0);
    expect(reserve(200)).toBe(198_000);
    expect(budget.reserve(post('C2'))).toBe(0);
  });

  it('drops an unused reservation after a moment', () => {
    const { budget, pass } = aBudget();
    for (let n = 0; n < 9; n += 1) budget.reserve({ ...post('C1'), requestId: `r${n}` });
    pass(10_000);
    expect(budget.reserve({ ...post('C1'), requestId: 'later' })).toBe(0);
  });

  it('pauses only the affected kind of write after a 429', () => {
    const { budget, pass } = aBudget();
    budget.pause({ kind: 'post', channelId: 'C1' }, 5_000);
    expect(budget.take(post('C1'))).toBe(5_000);
    expect(budget.take(post('C2'))).toBe(0);
    expect(budget.take(update({ channelId: 'C1' }))).toBe(0);
    pass(5_000);
    expect(budget.take(post('C1'))).toBe(0);
  });
});
