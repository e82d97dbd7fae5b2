import { randomUUID } from 'node:crypto';
import type { App, Context, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { Inboxes } from '../../inbox/inbox.ts';
import { byKey } from '../../lib/by-key.ts';

type Keep = (teamId: string, working: Promise<unknown>) => Promise<void>;

/** Names in the context of a listener. */
const keep = 'keepUntilDone';
const isKept = 'isRepeatOfKept';
const retry = 'retryKept';

const atOnce = 10;
const retryAfterMs = 5_000;

/**
 * Lets listeners keep a click or a command whose work takes longer than its acknowledgement may. If the process dies
 * before the work is done, the listener is called again with the same delivery; ids from Slack make that safe.
 * @returns call it for a workspace before what was kept there is handled
 */
export function keepLateDeliveries(app: App, inboxes: Pick<Inboxes, 'of'>) {
  const processEvent = app.processEvent.bind(app);
  const deliveriesOf = byKey((teamId) =>
    inboxes.of(teamId).register('delivery', {
      schema: z.record(z.string(), z.unknown()),
      atOnce,
      async handle(body, signal) {
        let isRetried = false;
        const context = {
          [isKept]: true,
          [retry]: () => {
            isRetried = true;
          },
        };
        // Acknowledged before it was kept.
        await app.processEvent({ body, ack: async () => {}, customProperties: context });
        if (signal.aborted) return { againAt: Date.now() };
        return isRetried ? { againAt: Date.now() + retryAfterMs } : 'done';
      },
    }),
  );

  app.processEvent = (event) => {
    const add: Keep = (teamId, working) =>
      deliveriesOf(teamId).addWhile(keyOf(event), event.body, working);
    return processEvent({ ...event, customProperties: { [keep]: add, ...event.customProperties } });
  };
  return (teamId: string): void => void deliveriesOf(teamId);
}

const keyOf = ({ body }: ReceiverEvent): string => {
  const { trigger_id: triggerId }: { trigger_id?: unknown } = body;
  return typeof triggerId === 'string' ? triggerId : randomUUID();
};

/** Resolves when the delivery is stored. It's handled again if the process dies before `working` has ended. */
export const keepUntilDone = async (context: Context, working: Promise<unknown>): Promise<void> => {
  const add: Keep | undefined = context[keep];
  await add?.(context.teamId ?? '', working);
  // The inbox itself waits for the work.
  if (add) context[retry] = () => {};
};

/** After `StoreUnavailable`: has a kept delivery handled again. @returns false if it isn't kept */
export function retryKept(context: Context): boolean {
  const again: (() => void) | undefined = context[retry];
  again?.();
  return again !== undefined;
}

/** Whether this delivery was kept, acknowledged, and is handled again. */
export const isRepeatOfKept = (context: Context): boolean => context[isKept] === true;
