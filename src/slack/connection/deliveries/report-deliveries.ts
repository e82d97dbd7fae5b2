import type { App } from '@slack/bolt';
import { readAddress } from './delivery-address.ts';

/** Called when a delivery was handled. `ackMs` is undefined if it wasn't acknowledged. */
export type OnDelivery = (delivery: {
  kind: string;
  ackMs: number | undefined;
  body: unknown;
}) => void;

const kinds = new Set([
  ...['action', 'command', 'event', 'function', 'options', 'shortcut', 'view', 'view_closed'],
]);

/** Measures all deliveries. Call this after everything else that wraps `processEvent`. */
export function reportDeliveries(app: App, onDelivery: OnDelivery): void {
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (delivery) => {
    const beganAt = performance.now();
    let ackMs: number | undefined;
    const ack: typeof delivery.ack = async (...response) => {
      ackMs ??= performance.now() - beganAt;
      return await delivery.ack(...response);
    };
    try {
      await processEvent({ ...delivery, ack });
    } finally {
      const kind = readAddress(delivery.body)?.kind ?? '';
      const { body } = delivery;
      onDelivery({ kind: kinds.has(kind) ? kind : 'other', ackMs, body });
    }
  };
}
