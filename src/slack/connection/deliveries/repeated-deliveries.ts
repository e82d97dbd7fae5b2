import { StoreUnavailable } from 'base/database/store-unavailable';
import { sleep } from 'base/sleep';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import { isRepeatOfKept } from './acknowledge-in-time.ts';
import type { Delivery, Step } from './delivery.ts';

/** More than a process needs to acknowledge or keep a click. Slack waits three seconds. */
const takeOverAfterMs = 1_000;
const pollEveryMs = 100;

type Body = Partial<Record<string, unknown>>;

/** Returns the id of a click or a shortcut, and undefined for all other deliveries. */
function triggerOf({ type, command, trigger_id: triggerId }: Body): string | undefined {
  const isOnce = command === undefined && type !== 'view_submission' && type !== 'block_suggestion';
  return isOnce && typeof triggerId === 'string' ? triggerId : undefined;
}

/**
 * Slack repeats deliveries that it believes lost, and Bolt would run the listener again. A click is marked when it's
 * begun and when it's acknowledged: a repeat waits for the process that began it, and takes over from one that died. A
 * command marks itself after the acknowledgement. An event is marked after it's handled, because nobody repeats it;
 * request ids dedupe the few that overlap. A submission runs again: the answer closes the modal, and the request has the
 * same id.
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

/** Marks a click when it's acknowledged. Listeners don't wait for the mark, because a trigger expires soon. */
export const markAcknowledged =
  (deliveries: Deliveries): Step =>
  async (delivery, next) => {
    const triggerId = triggerOf(delivery.body);
    if (triggerId === undefined) return next(delivery);
    let marking: Promise<unknown> | undefined;
    const ack: Delivery['ack'] = async (response) => {
      await delivery.ack(response);
      marking ??= deliveries.markFirst(acknowledged(triggerId)).catch(unlessUnavailable);
      // Thrown when the listener has ended. Until then nobody awaits it, which would end the process.
      marking.catch(() => undefined);
    };
    await next({ ...delivery, ack }).finally(() => marking);
  };

/** Without the mark, a repeat is handled again, which ids from Slack make safe. */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

/** Returns false if the click was acknowledged elsewhere. */
async function begin(deliveries: Deliveries, triggerId: string): Promise<boolean> {
  if (await deliveries.markFirst(`begun ${triggerId}`)) return true;
  for (let waitedMs = 0; ; waitedMs += pollEveryMs) {
    if (await deliveries.isMarked(acknowledged(triggerId))) return false;
    if (waitedMs >= takeOverAfterMs) return true;
    await sleep(pollEveryMs);
  }
}
