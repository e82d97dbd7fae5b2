import type { App } from '@slack/bolt';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import { isRepeatOfKept } from './kept-deliveries.ts';

/**
 * Slack repeats deliveries that it believes lost, and Bolt would run the listener again. A click is marked before it's
 * handled: if it gets lost, the person clicks again. A command marks itself after the acknowledgement. An event is marked
 * after it's handled, because nobody repeats it; request ids dedupe the few that overlap. A submission runs again: the
 * answer closes the modal, and the request has the same id.
 */
export function ignoreRepeatedDeliveries(
  app: App,
  { deliveries }: { deliveries: Deliveries },
): void {
  app.use(async (args) => {
    // No schema: it would take longer than everything else here, for each delivery.
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
      type !== 'block_suggestion' &&
      !isRepeatOfKept(args.context);
    if (isOnce && !(await deliveries.markFirst(`trigger ${triggerId}`))) {
      if ('ack' in args && typeof args.ack === 'function') await args.ack();
      return;
    }
    await args.next();
  });
}
