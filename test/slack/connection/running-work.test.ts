import type { ReceiverEvent } from '@slack/bolt';
import { expect, it } from 'vitest';
import { watchWork } from '../../../src/slack/connection/running-work.ts';
import { createLineLogger } from '../../support/product.ts';

const delivery: ReceiverEvent = { body: {}, ack: async () => undefined };

/** An app whose listener leaves this to do, while a crowd comes until `over` is called. */
function anApp(work: () => Promise<void>) {
  const { logger, lines } = createLineLogger();
  let over = () => {};
  const crowd = new Promise<void>((resolve) => {
    over = resolve;
  });
  const app = { processEvent: async (_: ReceiverEvent) => running.afterwards(work) };
  const running = watchWork(app, { requestArrived: () => undefined, giveWay: () => crowd, logger });
  return { app, lines, over, untilDone: running.untilDone };
}

it('a listener is done before what it leaves to do, and that is waited for at the end', async () => {
  const order: string[] = [];
  const { app, over, untilDone } = anApp(async () => void order.push('left'));
  await app.processEvent(delivery);
  order.push('listener');
  const done = untilDone().then(() => order.push('all'));
  over();
  await done;
  expect(order).toEqual(['listener', 'left', 'all']);
});

it('what a listener leaves to do while the app stops is waited for too', async () => {
  const order: string[] = [];
  const { app, over, untilDone } = anApp(async () => void order.push('left'));
  over();
  const processed = app.processEvent(delivery);
  await untilDone();
  expect(order).toEqual(['left']);
  await processed;
});

it('its failure is said in the log, and stops nothing', async () => {
  const { app, lines, over, untilDone } = anApp(() => Promise.reject(new Error('disk full')));
  over();
  await Promise.all([app.processEvent(delivery), app.processEvent(delivery)]);
  await untilDone();
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines[0])).toContain('disk full');
});
