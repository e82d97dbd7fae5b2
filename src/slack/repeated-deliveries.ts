import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Deliveries } from '../store/deliveries.ts';

const bodySchema = z.object({
  type: z.string().optional(),
  event_id: z.string().optional(),
  trigger_id: z.string().optional(),
  command: z.string().optional(),
});

type RepeatedDeliveriesParts = { deliveries: Deliveries };

/**
 * Slack delivers again what it believes lost, and Bolt would run the listener again. A click is done once: marked
 * before it is done, since a person repeats what got lost. A command marks itself, after it was acknowledged. An event
 * is marked after it was handled, since nobody repeats it; the few that overlap are told apart by the ids of the
 * requests that they start. A submission runs again: its answer closes the modal, and its request is the same one.
 */
export function ignoreRepeatedDeliveries(app: App, { deliveries }: RepeatedDeliveriesParts): void {
  app.use(async (args) => {
    const { type, event_id, trigger_id, command } = bodySchema.safeParse(args.body).data ?? {};
    if (event_id !== undefined) {
      const key = `event ${event_id}`;
      if (args.context.retryNum !== undefined && (await deliveries.isMarked(key))) return;
      await args.next();
      await deliveries.markFirst(key);
      return;
    }
    const isOnce =
      trigger_id !== undefined &&
      command === undefined &&
      type !== 'view_submission' &&
      type !== 'block_suggestion';
    if (isOnce && !(await deliveries.markFirst(`trigger ${trigger_id}`))) {
      if ('ack' in args && typeof args.ack === 'function') await args.ack();
      return;
    }
    await args.next();
  });
}
