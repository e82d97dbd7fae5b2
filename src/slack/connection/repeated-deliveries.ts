import type { App } from '@slack/bolt';
import type { Deliveries } from '../../store/deliveries.ts';

type RepeatedDeliveriesParts = { deliveries: Deliveries };

/**
 * Slack delivers again what it believes lost, and Bolt would run the listener again. A click is done once: marked
 * before it is done, since a person repeats what got lost. A command marks itself, after it was acknowledged. An event
 * is marked after it was handled, since nobody repeats it; the few that overlap are told apart by the ids of the
 * requests that they start. A submission runs again: its answer closes the modal, and its request is the same one.
 */
export function ignoreRepeatedDeliveries(app: App, { deliveries }: RepeatedDeliveriesParts): void {
  app.use(async (args) => {
    // Not by a schema: it would take longer than all the rest of this, for every delivery.
    const body = args.body as object as Partial<Record<string, unknown>>;
    const { type, command, event_id: eventId, trigger_id: triggerId } = body;
    if (typeof eventId === 'string') {
      const key = `event ${eventId}`;
      if (args.context.retryNum !== undefined && (await deliveries.isMarked(key))) return;
      await args.next();
      await deliveries.markFirst(key);
      return;
    }
    const isOnce =
      typeof triggerId === 'string' &&
      command === undefined &&
      type !== 'view_submission' &&
      type !== 'block_suggestion';
    if (isOnce && !(await deliveries.markFirst(`trigger ${triggerId}`))) {
      if ('ack' in args && typeof args.ack === 'function') await args.ack();
      return;
    }
    await args.next();
  });
}
