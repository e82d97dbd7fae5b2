import { randomUUID } from 'node:crypto';
import type { App, Context, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { Inbox } from '../../inbox/inbox.ts';

type Keep = (working: Promise<unknown>) => Promise<void>;

/** Names in the context of a listener. */
const keep = 'keepUntilDone';
const isKept = 'isRepeatOfKept';

const atOnce = 10;

/**
 * Lets listeners keep a click or a command whose work takes longer than its acknowledgement may. If the process dies
 * before the work is done, the listener is called again with the same delivery; ids from Slack make that safe.
 */
export function keepLateDeliveries(app: App, inbox: Pick<Inbox, 'register'>): void {
  const processEvent = app.processEvent.bind(app);
  const deliveries = inbox.register('delivery', {
    schema: z.record(z.string(), z.unknown()),
    atOnce,
    async handle(body, signal) {
      // Acknowledged before it was kept.
      await app.processEvent({ body, ack: async () => {}, customProperties: { [isKept]: true } });
      return signal.aborted ? { againAt: Date.now() } : 'done';
    },
  });

  app.processEvent = (event) => {
    const add: Keep = (working) => deliveries.addWhile(keyOf(event), event.body, working);
    return processEvent({ ...event, customProperties: { [keep]: add, ...event.customProperties } });
  };
}

const keyOf = ({ body }: ReceiverEvent): string => {
  const { trigger_id: triggerId }: { trigger_id?: unknown } = body;
  return typeof triggerId === 'string' ? triggerId : randomUUID();
};

/** Resolves when the delivery is stored. It's handled again if the process dies before `working` has ended. */
export const keepUntilDone = async (context: Context, working: Promise<unknown>): Promise<void> => {
  const add: Keep | undefined = context[keep];
  await add?.(working);
};

/** Whether this delivery was kept, acknowledged, and is handled again. */
export const isRepeatOfKept = (context: Context): boolean => context[isKept] === true;
