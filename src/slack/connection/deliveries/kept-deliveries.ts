import { randomUUID } from 'node:crypto';
import type { App, Context, ReceiverEvent } from '@slack/bolt';
import { byKey } from 'base/by-key';
import { z } from 'zod';
import type { Inboxes } from '../../../inbox/inbox.ts';

type Keep = (teamId: string, working: Promise<unknown>) => Promise<void>;

/** What a delivery knows of itself. Copies of its context share it. */
type KeptDelivery = {
  /** Undefined when it was kept before. */
  keep?: Keep;
  /** How long its acknowledgement waits. Undefined when it can't be kept. */
  ackWaitMs?: number;
  /** Undefined until it's kept. */
  retry?: () => void;
};

type KeepingParts = { inboxes: Pick<Inboxes, 'of'>; ackWaitMs: number };

const contextKey = 'keptDelivery';
const readKept = (context: Context): KeptDelivery => context[contextKey] ?? {};

const atOnce = 10;
const retryAfterMs = 5_000;

/**
 * Lets listeners keep a click or a command whose work takes longer than its acknowledgement may. If the process dies
 * before the work is done, the listener is called again with the same delivery; ids from Slack make that safe.
 * @returns call it for a workspace before what was kept there is handled
 */
export function keepLateDeliveries(app: App, { inboxes, ackWaitMs }: KeepingParts) {
  const processEvent = app.processEvent.bind(app);
  const deliveriesOf = byKey((teamId) =>
    inboxes.of(teamId).register('delivery', {
      schema: z.record(z.string(), z.unknown()),
      atOnce,
      async handle(body, signal) {
        let isRetried = false;
        const kept: KeptDelivery = {
          retry: () => {
            isRetried = true;
          },
        };
        // Acknowledged when it was kept.
        await app.processEvent({
          body,
          ack: async () => {},
          customProperties: { [contextKey]: kept },
        });
        if (signal.aborted) return { againAt: Date.now() };
        return isRetried ? { againAt: Date.now() + retryAfterMs } : 'done';
      },
    }),
  );

  app.processEvent = (event) => {
    const kept: KeptDelivery = {
      keep: (teamId, working) => deliveriesOf(teamId).addWhile(keyOf(event), event.body, working),
      ackWaitMs,
    };
    return processEvent({
      ...event,
      customProperties: { [contextKey]: kept, ...event.customProperties },
    });
  };
  return (teamId: string): void => void deliveriesOf(teamId);
}

const keyOf = ({ body }: ReceiverEvent): string => {
  const { trigger_id: triggerId }: { trigger_id?: unknown } = body;
  return typeof triggerId === 'string' ? triggerId : randomUUID();
};

/** How long an acknowledgement waits for the work. Undefined: until its end, because the delivery can't be kept. */
export const readAckWaitMs = (context: Context): number | undefined => readKept(context).ackWaitMs;

/** Resolves when the delivery is stored. It's handled again if the process dies before `working` has ended. */
export const keepUntilDone = async (context: Context, working: Promise<unknown>): Promise<void> => {
  const kept = readKept(context);
  await kept.keep?.(context.teamId ?? '', working);
  // The inbox itself waits for the work.
  if (kept.keep) kept.retry = () => {};
};

/** After `StoreUnavailable`: has a kept delivery handled again. @returns false if it isn't kept */
export function retryKept(context: Context): boolean {
  const { retry } = readKept(context);
  retry?.();
  return retry !== undefined;
}

/** Whether this delivery was kept, acknowledged, and is handled again. */
export function isRepeatOfKept(context: Context): boolean {
  const { keep, retry } = readKept(context);
  return retry !== undefined && keep === undefined;
}
