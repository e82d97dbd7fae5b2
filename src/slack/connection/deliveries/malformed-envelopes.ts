import type { Logger, SocketModeReceiver } from '@slack/bolt';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';

type SocketClient = SocketModeReceiver['client'];

const envelopeSchema = z.looseObject({ envelope_id: z.string(), payload: z.unknown() });

/**
 * `app_rate_limited` has no event. The socket client (3.1) reads the event anyway, in a promise that isn't awaited, and
 * the process ends. Deliveries that the client can't read are passed on like any other, so that they're answered in the
 * same place as over HTTP.
 */
export function acknowledgeMalformed(client: SocketClient, logger: Logger): void {
  const handlers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', async (...frame: unknown[]) => {
    try {
      for (const handle of handlers) await handle(...frame);
    } catch (error) {
      const envelope = envelopeSchema.safeParse(parseJson(String(frame[0]))).data;
      if (!envelope) {
        logger.warn(`Dropped an unreadable frame from Slack: ${String(error)}`);
        return;
      }
      const { envelope_id: id, payload: body } = envelope;
      client.emit('slack_event', { body, ack: async () => acknowledge(client, id) });
    }
  });
}

/** If it doesn't arrive, Slack repeats the delivery. */
function acknowledge({ websocket }: SocketClient, id: string): void {
  websocket?.send(JSON.stringify({ envelope_id: id, payload: {} }), () => undefined);
}
