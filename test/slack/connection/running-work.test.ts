import type { ReceiverEvent } from '@slack/bolt';
import { expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import { watchWork } from '../../../src/slack/connection/running-work.ts';

const delivery: ReceiverEvent = { body: {}, ack: async () => undefined };

/** An app with a listener that queues this work, during a burst that lasts until `over` is called. */
function anApp(work: () => Promise<void>) {
  const { logger, lines } = createLineLogger();
  let over = () => {};
  const burst = new Promise<void>((resolve) => {
    over = resolve;
  });
  const app = { processEvent: async (_: ReceiverEvent) => running.afterwards(work) };
  const running = watchWork(app, {
    requestArrived: () => undefined,
    yieldToRequests: () => burst,
    logger,
  });
  return { app, lines, over, untilDone: running.untilDone };
}

it('runs queued work after the listener, and waits for it at the end', async () => {
  const order: string[] = [];
  const { app, over, untilDone } = anApp(async () => void order.push('left'));
  await app.processEvent(delivery);
  order.push('listener');
  const done = untilDone().then(() => order.push('all'));
  over();
  await done;
  expect(order).toEqual(['listener', 'left', 'all']);
});

it('waits for work that a listener queues while the app stops', async () => {
  const order: string[] = [];
  const { app, over, untilDone } = anApp(async () => void order.push('left'));
  over();
  const processed = app.processEvent(delivery);
  await untilDone();
  expect(order).toEqual(['left']);
  await processed;
});

it('logs failures of queued work and continues', async () => {
  const { app, lines, over, untilDone } = anApp(() => Promise.reject(new Error('disk full')));
  over();
  await Promise.all([app.processEvent(delivery), app.processEvent(delivery)]);
  await untilDone();
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines[0])).toContain('disk full');
});
