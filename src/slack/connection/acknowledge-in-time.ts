import { withSoftTimeout } from '../../lib/soft-timeout.ts';

/** How long an acknowledgement waits for Slack's API or the runs API. Slack allows three seconds in all. */
export const ackWaitMs = 700;

/**
 * Acknowledges with the answer of `work`. After `ackWaitMs` it acknowledges without an answer and sends that later.
 * @throws what `work` throws, before or after the acknowledgement
 */
export async function acknowledgeInTime<T>(
  ack: (answer?: T) => Promise<void>,
  work: () => Promise<T | undefined>,
  sendLater: (answer: T) => Promise<unknown>,
): Promise<void> {
  const working = work();
  const inTime = await withSoftTimeout(
    working.then((answer) => ({ answer })),
    ackWaitMs,
  );
  if (inTime) return await ack(inTime.answer);
  await ack();
  const answer = await working;
  if (answer !== undefined) await sendLater(answer);
}

/**
 * Acknowledges a click when what it asks for is stored, or after `ackWaitMs`. If the process is killed before, Slack
 * shows the person that the click didn't work.
 */
export const acknowledgeAfter = (
  work: () => Promise<unknown>,
  ack: () => Promise<void>,
): Promise<void> =>
  acknowledgeInTime(
    () => ack(),
    async () => void (await work()),
    async () => undefined,
  );
