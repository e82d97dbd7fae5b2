import type { Logger, SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';

type SocketClient = SocketModeReceiver['client'];

const envelopeSchema = z.looseObject({ envelope_id: z.string(), payload: z.unknown() });

/**
 * `app_rate_limited` comes without an event in it. The socket client (3.1) looks into the event all the same, in a
 * promise that nobody waits for, and the process ends. What the client can't read is handed on as any other delivery,
 * so that it is answered in the same place as over HTTP.
 */
export function acknowledgeMalformed(client: SocketClient, logger: Logger): void {
  const takers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', async (...frame: unknown[]) => {
    try {
      for (const take of takers) await take(...frame);
    } catch (error) {
      const envelope = envelopeOf(frame[0]);
      if (!envelope) {
        logger.warn(`Dropped a frame of Slack that makes no sense: ${String(error)}`);
        return;
      }
      const { envelope_id: id, payload: body } = envelope;
      client.emit('slack_event', { body, ack: async () => acknowledge(client, id) });
    }
  });
}

function envelopeOf(frame: unknown) {
  try {
    return envelopeSchema.safeParse(JSON.parse(String(frame))).data;
  } catch {
    return undefined;
  }
}

/** Where it does not arrive, Slack delivers once more, and the same is done again. */
function acknowledge({ websocket }: SocketClient, id: string): void {
  websocket?.send(JSON.stringify({ envelope_id: id, payload: {} }), () => undefined);
}
