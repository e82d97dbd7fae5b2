import { expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { createRunningWork } from '../../../src/slack/connection/running-work.ts';

it('runs work after its delivery, and waits for it at the end', async () => {
  const order: string[] = [];
  const { track, afterwards, untilDone } = createRunningWork(createLineLogger().logger);
  await track(Promise.resolve().then(() => afterwards(async () => void order.push('work'))));
  order.push('delivery');
  await untilDone();
  expect(order).toEqual(['delivery', 'work']);
});

it('waits for work that a delivery leaves while the app stops', async () => {
  const order: string[] = [];
  const { track, afterwards, untilDone } = createRunningWork(createLineLogger().logger);
  const handled = track(
    Promise.resolve().then(() => afterwards(async () => void order.push('work'))),
  );
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
