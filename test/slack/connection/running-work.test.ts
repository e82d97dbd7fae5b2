import { expect, it, vi } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { signal } from '../../../packages/base/test/support/signal.ts';
import { readDelivery } from '../../../src/slack/connection/deliveries/delivery.ts';
import { createRunningWork } from '../../../src/slack/connection/running-work.ts';

const delivery = readDelivery({ body: {}, ack: async () => {} });

it('runs work after its delivery, and waits for it at the end', async () => {
  const order: string[] = [];
  const { track, afterwards, untilDone } = createRunningWork(createLineLogger().logger);
  await track(delivery, async () => afterwards(async () => void order.push('work')));
  order.push('delivery');
  await untilDone();
  expect(order).toEqual(['delivery', 'work']);
});

it('waits for work that a delivery leaves while the app stops', async () => {
  const order: string[] = [];
  const { track, afterwards, untilDone } = createRunningWork(createLineLogger().logger);
  const handled = track(delivery, async () => afterwards(async () => void order.push('work')));
  await untilDone();
  expect(order).toEqual(['work']);
  await handled;
});

it('logs failures of this work and continues', async () => {
  const { logger, lines } = createLineLogger();
  const { afterwards, untilDone } = createRunningWork(logger);
  for (let each = 0; each < 2; each += 1) afterwards(() => Promise.reject(new Error('disk full')));
  await untilDone();
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines[0])).toContain('disk full');
});

it('lets a listener continue after its acknowledgement when others in a burst have theirs', async () => {
  const { track, putOthersFirst, untilDone } = createRunningWork(createLineLogger().logger);
  const [released, release] = signal();
  for (let count = 0; count < 10; count += 1) void track({ ...delivery }, () => released);
  const order: string[] = [];
  void track(delivery, (tracked) =>
    putOthersFirst(tracked, async ({ ack }) => {
      await ack();
      order.push('listener');
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  order.push('others');
  release();
  await untilDone();
  expect(order).toEqual(['others', 'listener']);
});

it('wakes the workers once, after the acknowledgements of a burst', async () => {
  const { track, inTurn, untilDone } = createRunningWork(createLineLogger().logger);
  const [released, release] = signal();
  for (let count = 0; count < 10; count += 1) void track({ ...delivery }, () => released);
  let wakes = 0;
  const wake = inTurn(() => {
    wakes += 1;
  });
  wake();
  wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(wakes).toBe(0);
  release();
  await untilDone();
  await vi.waitFor(() => expect(wakes).toBe(1));
  wake();
  await vi.waitFor(() => expect(wakes).toBe(2));
});
