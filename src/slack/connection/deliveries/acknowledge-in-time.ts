import type { Context } from '@slack/bolt';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { isRepeatOfKept, keepUntilDone, readAckWaitMs } from './kept-deliveries.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';

/** `context` as in the arguments of a listener. */
type Delivery<T> = { ack: (answer?: T) => Promise<void>; context: Context };

/**
 * Acknowledges with the answer of `work`. After a while it keeps the delivery, so that a restart doesn't lose it,
 * acknowledges without an answer, and sends that later. What can't be kept isn't acknowledged before the work ends.
 * @throws what `work` throws, before or after the acknowledgement
 */
export async function acknowledgeInTime<T>(
  { ack, context }: Delivery<T>,
  work: () => Promise<T | undefined>,
  sendLater: (answer: T) => Promise<unknown>,
): Promise<void> {
  const working = work();
  const wasAcknowledged = isRepeatOfKept(context);
  if (!wasAcknowledged) {
    const inTime = await withSoftTimeout(
      working.then((answer) => ({ answer })),
      readAckWaitMs(context),
    );
    if (inTime) return await ack(inTime.answer);
    const problem = await keepUntilDone(context, working).catch((error: unknown) => ({ error }));
    if (problem) return await ack(await working.catch(unlessKept(problem.error)));
    await ack().catch(unlessLost);
  }
  const answer = await working;
  if (answer !== undefined) await sendLater(answer);
}

/** For work that goes on, with an answer that is still sent. */
export function unlessLost(error: unknown): void {
  if (!(error instanceof AcknowledgementLost)) throw error;
}

/** The work failed. If the delivery may be stored all the same, it's repeated: nobody knows what comes of it. */
const unlessKept = (keepError: unknown) => (error: unknown) => {
  const mayBeKept = keepError instanceof StoreUnavailable && keepError.outcome === 'unknown';
  throw mayBeKept ? keepError : error;
};

/**
 * Acknowledges a click when what it asks for is done or stored. If the process is killed before, Slack shows the person
 * that the click didn't work.
 */
export const acknowledgeAfter = (
  { ack, context }: Delivery<never>,
  work: () => Promise<unknown>,
): Promise<void> =>
  acknowledgeInTime(
    { ack: () => ack(), context },
    async () => void (await work()),
    async () => undefined,
  );
