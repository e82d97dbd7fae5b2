import { StoreUnavailable } from 'base/database/store-unavailable';
import { sleep } from 'base/sleep';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import { isRepeatOfKept } from './acknowledge-in-time.ts';
import type { Delivery, Step } from './delivery.ts';

/** Max time that a repeated click waits for the process that handled it first, in ms. Acknowledging takes less. */
const takeOverAfterMs = 1_000;
const pollEveryMs = 100;

type Body = Partial<Record<string, unknown>>;

/** Returns the id of a click or a shortcut, and undefined for all other deliveries. */
function triggerOf({ type, command, trigger_id: triggerId }: Body): string | undefined {
  const isOnce = command === undefined && type !== 'view_submission' && type !== 'block_suggestion';
  return isOnce && typeof triggerId === 'string' ? triggerId : undefined;
}

/**
 * Creates the step that drops deliveries that Slack repeats, because Bolt would run the listener again. A click is
 * marked in the store when its handling begins and when it's acknowledged. A repeated click waits for the process that
 * began it, and takes over if that process died. An event is marked after it's handled, so that Slack's repetition
 * works if the process dies before. A form may be handled twice, which is safe because its request has the same ID.
 */
export const ignoreRepeatedDeliveries =
  (deliveries: Deliveries): Step =>
  async (delivery, next) => {
    const { body, ack, kept, retryNum } = delivery;
    const { event_id: eventId }: Body = body;
    if (typeof eventId === 'string') {
      const key = `event ${eventId}`;
      if (retryNum !== undefined && (await deliveries.isMarked(key))) return ack();
      await next(delivery);
      await deliveries.markFirst(key);
      return;
    }
    const triggerId = isRepeatOfKept(kept) ? undefined : triggerOf(body);
    const isOurs = triggerId === undefined || (await begin(deliveries, triggerId));
    await (isOurs ? next(delivery) : ack());
  };

const acknowledged = (triggerId: string) => `trigger ${triggerId}`;

/**
 * Creates the step that marks a click when it's acknowledged. Listeners don't wait for the mark, because Slack's
 * trigger for opening a modal expires soon.
 */
export const markAcknowledged =
  (deliveries: Deliveries): Step =>
  async (delivery, next) => {
    const triggerId = triggerOf(delivery.body);
    if (triggerId === undefined) return next(delivery);
    let marking: Promise<unknown> | undefined;
    const ack: Delivery['ack'] = async (response) => {
      await delivery.ack(response);
      marking ??= deliveries.markFirst(acknowledged(triggerId)).catch(unlessUnavailable);
      // Avoid an unhandled rejection, which would end the process. The step still throws it when the listener has
      // ended.
      marking.catch(() => undefined);
    };
    await next({ ...delivery, ack }).finally(() => marking);
  };

/**
 * Ignores an unavailable store. Without the mark, a repeat is handled again. That is safe, because request IDs come
 * from Slack's delivery.
 */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

/**
 * Marks a click as begun, or waits if another process has begun it. Returns false if that process acknowledged it, and
 * true if the caller must handle it.
 */
async function begin(deliveries: Deliveries, triggerId: string): Promise<boolean> {
  if (await deliveries.markFirst(`begun ${triggerId}`)) return true;
  for (let waitedMs = 0; ; waitedMs += pollEveryMs) {
    if (await deliveries.isMarked(acknowledged(triggerId))) return false;
    if (waitedMs >= takeOverAfterMs) return true;
    await sleep(pollEveryMs);
  }
}
