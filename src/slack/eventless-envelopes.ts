import type { Logger, SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';

type SocketClient = SocketModeReceiver['client'];

const envelopeSchema = z.object({
  envelope_id: z.string(),
  payload: z.object({ type: z.string().optional() }).optional(),
});

const tooManyEvents =
  'Slack has more events for this app than it delivers to one (30,000 an hour for each workspace): mentions and messages of this minute may be missing';

/**
 * `app_rate_limited` comes without an event in it. The socket client (3.1) looks into it all the same, in a promise that
 * nobody waits for, and the process ends. What the client cannot take is acknowledged here and told in the log.
 */
export function surviveEventless(client: SocketClient, logger: Logger): void {
  const takers = client.listeners('ws_message');
  client.removeAllListeners('ws_message');
  client.on('ws_message', async (...frame: unknown[]) => {
    try {
      for (const take of takers) await take(...frame);
    } catch (error) {
      const envelope = envelopeOf(frame[0]);
      if (envelope?.payload?.type === 'app_rate_limited') logger.warn(tooManyEvents);
      else logger.error('a delivery of Slack could not be read', error);
      if (envelope) acknowledge(client, envelope.envelope_id);
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
