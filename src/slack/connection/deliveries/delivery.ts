import type { Context, ReceiverEvent } from '@slack/bolt';
import { type DeliveryAddress, readAddress } from './delivery-address.ts';

export type Delivery = Omit<ReceiverEvent, 'customProperties'> & {
  /** Kind and id of the delivery. Undefined if the body is unreadable. */
  address: DeliveryAddress | undefined;
  /** Workspace that the delivery is for. Empty until `answerOtherWorkspaces` has found it. */
  teamId: string;
  kept: KeptDelivery;
};

/** Functions that store a delivery while its work takes long, and handle it again. */
export type KeptDelivery = {
  /** Stores the delivery until `working` ends. Undefined if it was stored before. */
  keep?(teamId: string, working: Promise<unknown>): Promise<void>;
  /** Max time that the acknowledgement waits, in ms. Undefined if the delivery can't be stored. */
  ackWaitMs?: number;
  /** Lets the delivery be handled again later. Undefined until it's stored. */
  retry?(): void;
};

/** Handles a delivery, or calls `next` to pass it to the following steps. A step can give them another `ack`. */
export type Step = (
  delivery: Delivery,
  next: (delivery: Delivery) => Promise<void>,
) => Promise<void>;

export function runSteps(steps: readonly Step[]): (delivery: Delivery) => Promise<void> {
  const runFrom = async (index: number, delivery: Delivery): Promise<void> =>
    steps[index]?.(delivery, (changed) => runFrom(index + 1, changed));
  return (delivery) => runFrom(0, delivery);
}

export const readDelivery = (
  { body, ack, retryNum, retryReason }: ReceiverEvent,
  kept: KeptDelivery = {},
): Delivery => ({
  body,
  ack,
  ...(retryNum !== undefined && { retryNum }),
  ...(retryReason !== undefined && { retryReason }),
  address: readAddress(body),
  teamId: '',
  kept,
});

const contextKey = 'delivery';

/** Returns the delivery as a property for Bolt's context, in which its listener finds it. */
export const contextOf = (delivery: Delivery) => ({ [contextKey]: delivery });

/** Finds the delivery in Bolt's context. Returns undefined if it didn't come through the pipeline. */
export const deliveryIn = (context: Context): Delivery | undefined => context[contextKey];
