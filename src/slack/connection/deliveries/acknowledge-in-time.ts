import { randomUUID } from 'node:crypto';
import type { Context, ReceiverEvent } from '@slack/bolt';
import { byKey } from 'base/by-key';
import { StoreUnavailable } from 'base/database/store-unavailable';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { z } from 'zod';
import type { InboxKind, Intake } from '../../../inbox/inbox.ts';
import { deliveryIn, type KeptDelivery } from './delivery.ts';
import { AcknowledgementLost } from './lost-acknowledgements.ts';

type Body = Record<string, unknown>;

type KeeperDeps = {
  register(teamId: string, kind: InboxKind<Body>): Pick<Intake<Body>, 'addWhile'>;
  ackWaitMs: number;
  deliver(event: ReceiverEvent, kept: KeptDelivery): Promise<void>;
};

const retryAfterMs = 5_000;

/**
 * Creates functions that store clicks and commands with work that outlasts the acknowledgement. If the process dies
 * before the work is done, the listener is called again with the same delivery. That is safe, because request IDs come
 * from Slack's delivery, so nothing starts twice.
 */
export function createKeeper({ register, ackWaitMs, deliver }: KeeperDeps) {
  const intakeOf = byKey((teamId) =>
    register(teamId, {
      schema: z.record(z.string(), z.unknown()),
      async handle(body, signal) {
        let isRetried = false;
        const retry = () => {
          isRetried = true;
        };
        // Don't acknowledge again, because the delivery was acknowledged when it was stored.
        await deliver({ body, ack: async () => {} }, { retry });
        if (signal.aborted) return { againAt: Date.now() };
        return isRetried ? { againAt: Date.now() + retryAfterMs } : 'done';
      },
    }),
  );
  return {
    /** Registers a workspace's inbox. Call this before the workspace's stored deliveries are handled. */
    prepare: (teamId: string): void => void intakeOf(teamId),

    keepable: (body: Body): KeptDelivery => ({
      keep: (teamId, working) => intakeOf(teamId).addWhile(keyOf(body), body, working),
      ackWaitMs,
    }),
  };
}

const keyOf = ({ trigger_id: triggerId }: Body): string =>
  typeof triggerId === 'string' ? triggerId : randomUUID();

/** Returns true if this delivery was stored and acknowledged before, and is now handled again. */
export const isRepeatOfKept = ({ retry, keep }: KeptDelivery): boolean =>
  retry !== undefined && keep === undefined;

/** Arguments of a listener that acknowledges its delivery. */
type Acknowledging<T> = { ack: (answer?: T) => Promise<void>; context: Context };

/**
 * Acknowledges with the result of `work`. If the work takes long, stores the delivery, acknowledges without a result,
 * and sends the result later. A delivery that can't be stored is acknowledged when the work ends.
 * @throws errors of `work`, before or after the acknowledgement
 */
export async function acknowledgeInTime<T>(
  { ack, context }: Acknowledging<T>,
  work: () => Promise<T | undefined>,
  sendLater: (answer: T) => Promise<unknown>,
): Promise<void> {
  const kept = deliveryIn(context)?.kept ?? {};
  const working = work();
  if (!isRepeatOfKept(kept)) {
    const inTime = await withSoftTimeout(
      working.then((answer) => ({ answer })),
      kept.ackWaitMs,
    );
    if (inTime) return await ack(inTime.answer);
    const keeping = keepUntilDone(kept, context.teamId ?? '', working);
    const problem = await keeping.catch((error: unknown) => ({ error }));
    if (problem) return await ack(await working.catch(unlessKept(problem.error)));
    await ack().catch(unlessLost);
  }
  const answer = await working;
  if (answer !== undefined) await sendLater(answer);
}

/** Stores the delivery, so that it's handled again if the process dies before `working` has ended. */
async function keepUntilDone(
  kept: KeptDelivery,
  teamId: string,
  working: Promise<unknown>,
): Promise<void> {
  await kept.keep?.(teamId, working);
  // Set a `retry` that does nothing, because the inbox itself waits for the work.
  if (kept.keep) kept.retry = () => {};
}

/** Ignores a lost acknowledgement, because the answer can still be shown later. Rethrows other errors. */
export function unlessLost(error: unknown): void {
  if (!(error instanceof AcknowledgementLost)) throw error;
}

/**
 * Throws the error to show when both storing the delivery and its work failed. Prefers the storing error if the
 * delivery may be stored, because the work may then be repeated.
 */
const unlessKept = (keepError: unknown) => (error: unknown) => {
  const canBeKept = keepError instanceof StoreUnavailable && keepError.outcome === 'unknown';
  throw canBeKept ? keepError : error;
};

/**
 * Acknowledges a click when its work is done, or when the click is stored. If the process dies before that, Slack tells
 * the person that the click didn't work.
 */
export const acknowledgeAfter = (
  { ack, context }: Acknowledging<never>,
  work: () => Promise<unknown>,
): Promise<void> =>
  acknowledgeInTime(
    { ack: () => ack(), context },
    async () => void (await work()),
    async () => undefined,
  );
