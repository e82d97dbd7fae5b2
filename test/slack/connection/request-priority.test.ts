import { describe, expect, it } from 'vitest';
import { createRequestPriority } from '../../../src/slack/connection/calls/request-priority.ts';
import { createTurns } from '../../../src/slack/connection/turns.ts';

const never = new AbortController().signal;

describe('background work', () => {
  it('continues at once when a single request arrives', async () => {
    const { requestArrived, yieldToRequests } = createRequestPriority();
    requestArrived();
    let isDone = false;
    const done = yieldToRequests(never).then(() => {
      isDone = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(isDone).toBe(true);
    await done;
  });

  it('pauses during a burst of requests, and continues after it or when the signal aborts', async () => {
    const { requestArrived, yieldToRequests } = createRequestPriority();
    for (let each = 0; each < 20; each += 1) requestArrived();
    let isDone = false;
    const done = yieldToRequests(never).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    await yieldToRequests(AbortSignal.abort());
    await done;
  });
});

describe('turns', () => {
  it('come in order, one in each turn of the event loop', async () => {
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
