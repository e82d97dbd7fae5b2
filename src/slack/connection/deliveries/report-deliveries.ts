import type { Delivery, Step } from './delivery.ts';

/** Called after each delivery. `ackMs` is undefined if it wasn't acknowledged. */
export type OnDelivery = (delivery: {
  kind: string;
  ackMs: number | undefined;
  body: unknown;
}) => void;

const kinds = new Set([
  ...['action', 'command', 'event', 'function', 'options', 'shortcut', 'view', 'view_closed'],
]);

export const reportDeliveries =
  (onDelivery: OnDelivery = () => {}): Step =>
  async (delivery, next) => {
    const { body, address } = delivery;
    const beganAt = performance.now();
    let ackMs: number | undefined;
    const ack: Delivery['ack'] = async (response) => {
      ackMs ??= performance.now() - beganAt;
      await delivery.ack(response);
    };
    try {
      await next({ ...delivery, ack });
    } finally {
      const kind = address && kinds.has(address.kind) ? address.kind : 'other';
      onDelivery({ kind, ackMs, body });
    }
  };
