import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Loop } from '../../src/time/loop.ts';

/** Creates a loop whose rounds end when the test says so. */
function aLoop() {
  const ends: (() => void)[] = [];
  const tick = vi.fn(() => new Promise<number>((resolve) => ends.push(() => resolve(3_600_000))));
  const loop = new Loop(tick);
  onTestFinished(async () => {
    const stopped = loop.stop();
    ends.at(-1)?.();
    await stopped;
  });
  const endRound = () => ends.at(-1)?.();
  const rounds = (count: number) => expect.poll(() => tick.mock.calls.length).toBe(count);
  return { loop, tick, endRound, rounds };
}

describe('a loop', () => {
  it('runs one round at a time, no matter how often it is started and woken', async () => {
    const { loop, tick, rounds } = aLoop();
    loop.start();
    loop.start();
    await rounds(1);
    loop.wake();
    loop.wake();
    expect(tick).toHaveBeenCalledTimes(1);
  });

  it('starts the next round at once when woken during a wait', async () => {
    const { loop, endRound, rounds } = aLoop();
    loop.start();
    await rounds(1);
    endRound();
    await new Promise(setImmediate);
    loop.wake();
    await rounds(2);
  });

  it('starts the next round at once when woken during a round', async () => {
    const { loop, endRound, rounds } = aLoop();
    loop.start();
    await rounds(1);
    loop.wake();
    endRound();
    await rounds(2);
  });

  it('finishes its round before stop() resolves, and can be started again', async () => {
    const { loop, endRound, rounds } = aLoop();
    loop.start();
    await rounds(1);
    const stopped = vi.fn();
    const stopping = loop.stop().then(stopped);
    await new Promise(setImmediate);
    expect(stopped).not.toHaveBeenCalled();
    endRound();
    await stopping;
    loop.start();
    await rounds(2);
  });
});

it('keeps no memory of finished rounds', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const loop = new Loop(async () => {
    rounds += 1;
    return 0;
  });
  let rounds = 0;
  const heapAfter = async (count: number) => {
    const until = rounds + count;
    while (rounds < until) {
      loop.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  loop.start();
  const before = await heapAfter(1_000);
  const grownBytes = (await heapAfter(20_000)) - before;
  await loop.stop();
  expect(grownBytes).toBeLessThan(400_000);
});
