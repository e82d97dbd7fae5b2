import type { App } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { sleep } from 'base/sleep';
import type { Deliveries } from '../../../store/inbox/deliveries.ts';
import { isRepeatOfKept } from './kept-deliveries.ts';

/** Longer than a process takes to acknowledge a click or to keep it. Slack waits three seconds. */
const takeOverAfterMs = 1_000;
const lookEveryMs = 100;

type Body = Partial<Record<string, unknown>>;
type Marks = Pick<Deliveries, 'markFirst' | 'isMarked'>;

/** What names a click or a shortcut. Undefined for everything else. */
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
export function ignoreRepeatedDeliveries(
  app: App,
  { deliveries }: { deliveries: Deliveries },
): void {
  markAcknowledged(app, deliveries);
  app.use(async (args) => {
    // No schema: it would take longer than everything else here, for each delivery.
    const body = args.body as object as Body;
    const { event_id: eventId } = body;
    if (typeof eventId === 'string') {
      const key = `event ${eventId}`;
      if (args.context.retryNum !== undefined && (await deliveries.isMarked(key))) return;
      await args.next();
      await deliveries.markFirst(key);
      return;
    }
    const triggerId = isRepeatOfKept(args.context) ? undefined : triggerOf(body);
    if (triggerId !== undefined && !(await begin(deliveries, triggerId))) {
      if ('ack' in args && typeof args.ack === 'function') await args.ack();
      return;
    }
    await args.next();
  });
}

const acknowledged = (triggerId: string) => `trigger ${triggerId}`;

/** Listeners don't wait for the mark: a trigger expires soon. */
function markAcknowledged(app: App, deliveries: Marks): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = (event) => {
    const triggerId = triggerOf(event.body);
    if (triggerId === undefined) return processEvent(event);
    let marking: Promise<unknown> | undefined;
    const ack = async (response?: unknown): Promise<void> => {
      await event.ack(response);
      marking ??= deliveries.markFirst(acknowledged(triggerId)).catch(unlessUnavailable);
      // Thrown when the listener has ended. Until then nobody awaits it, which would end the process.
      marking.catch(() => undefined);
    };
    return processEvent({ ...event, ack }).finally(() => marking);
  };
}

/** Without the mark, a repeat is handled again, which ids from Slack make safe. */
function unlessUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

/** @returns false if the click was acknowledged elsewhere */
async function begin(deliveries: Marks, triggerId: string): Promise<boolean> {
  if (await deliveries.markFirst(`begun ${triggerId}`)) return true;
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    if (await deliveries.isMarked(acknowledged(triggerId))) return false;
    if (waitedMs >= takeOverAfterMs) return true;
    await sleep(lookEveryMs);
  }
}
