import { withPatience } from '../../lib/patience.ts';

/**
 * How long an acknowledgement waits for what others say: Slack's own API, the runs API. Slack gives three seconds, and
 * whatever we do ourselves comes on top.
 */
export const ackWaitMs = 700;

/**
 * Acknowledges with the answer of `work`, or with nothing once `ackWaitMs` have passed: then the answer is said later.
 * @throws what `work` throws, before or after the acknowledgement
 */
export async function acknowledgeInTime<T>(
  ack: (answer?: T) => Promise<void>,
  work: () => Promise<T | undefined>,
  sayLater: (answer: T) => Promise<unknown>,
): Promise<void> {
  const working = work();
  const inTime = await withPatience(
    working.then((answer) => ({ answer })),
    ackWaitMs,
  );
  if (inTime) return await ack(inTime.answer);
  await ack();
  const answer = await working;
  if (answer !== undefined) await sayLater(answer);
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
