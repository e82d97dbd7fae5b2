import { describe, expect, it } from 'vitest';
import { createRightOfWay } from '../../src/lib/right-of-way.ts';
import { createTurns } from '../../src/lib/turns.ts';

const never = new AbortController().signal;

describe('work that can wait', () => {
  it('goes on at once while one person after the other comes', async () => {
    const { requestArrived, giveWay } = createRightOfWay();
    requestArrived();
    let hasGone = false;
    const gone = giveWay(never).then(() => {
      hasGone = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(hasGone).toBe(true);
    await gone;
  });

  it('stands back in a crowd, goes on after it, and when it is told to stop', async () => {
    const { requestArrived, giveWay } = createRightOfWay();
    for (let each = 0; each < 20; each += 1) requestArrived();
    let hasGone = false;
    const gone = giveWay(never).then(() => {
      hasGone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasGone).toBe(false);
    await giveWay(AbortSignal.abort());
    await gone;
  });
});

describe('turns', () => {
  it('are given one in each turn of the event loop, in order', async () => {
    const takeTurn = createTurns(async () => undefined);
    const order: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => takeTurn().then(() => order.push(name)));
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(order.length);
    }
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(seen[0]).toBeLessThan(3);
    await takeTurn();
  });
});
