import { type App, type Logger, SocketModeReceiver } from '@slack/bolt';
import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import { z } from 'zod';
import { createSlackFetch, type OnSlackCall } from './calls/slack-fetch.ts';
import type { ConnectedReceiver } from './connected-receiver.ts';
import { type Fields, isRecord } from './deliveries/delivery-address.ts';

/** Called when Slack greets a new connection. */
export type OnHello = (hello: Fields) => void;

type SocketOptions = {
  appToken: string;
  apiUrl: string;
  stopping: AbortSignal;
  onSlackCall: OnSlackCall | undefined;
  onHello: OnHello | undefined;
  logger: Logger;
};

const disconnectWaitMs = 2_000;

export function createSocketReceiver(options: SocketOptions): ConnectedReceiver {
  const { appToken, apiUrl, stopping, onSlackCall, onHello, logger } = options;
  const receiver = new SocketModeReceiver({
    appToken,
    logger: forSockets(logger),
    // Create the options for each receiver, because the socket client changes the retries in them.
    installerOptions: {
      clientOptions: { slackApiUrl: apiUrl, fetch: createSlackFetch(stopping, onSlackCall) },
    },
  });
  const { client } = receiver;
  acknowledgeMalformed(client, logger);
  if (onHello)
    client.on('ws_message', (data) => {
      const frame = parseJson(String(data));
      if (isRecord(frame) && frame['type'] === 'hello') onHello(frame);
    });
  let stopped = false;
  let isConnected = false;
  // Disconnect a stopped client again. A client that is stopped during a reconnect still connects
  // (node-slack-sdk#2656).
  client.on('connected', () => {
    isConnected = true;
    if (stopped) void client.disconnect();
  });
  // Note a closed connection. If Slack only replaces the connection, `connected` follows.
  client.on('close', () => {
    isConnected = false;
  });
  return {
    isConnected: () => isConnected,
    // Pass the app as it is, because Bolt's receiver uses only `processEvent`.
    init: (app) => receiver.init(app as App),
    start: () => {
      stopped = false;
      return receiver.start();
    },
    stop: async () => {
      stopped = true;
      const waiting = new AbortController();
      // Limit the wait, because a client that isn't connected may never report that it's disconnected.
      await Promise.race([client.disconnect(), sleep(disconnectWaitMs, waiting.signal)]);
      waiting.abort();
    },
  };
}

type SocketClient = SocketModeReceiver['client'];

const envelopeSchema = z.looseObject({ envelope_id: z.string(), payload: z.unknown() });

/**
 * Passes on deliveries that the socket client (3.1) can't read, so that they're answered as over HTTP. One is
 * `app_rate_limited`, which has no event. The client tries to read an event anyway, and the failed promise would end
 * the process.
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

/** Sends an acknowledgement and ignores failures, because Slack then repeats the delivery. */
function acknowledge({ websocket }: SocketClient, id: string): void {
  websocket?.send(JSON.stringify({ envelope_id: id, payload: {} }), () => undefined);
}

/** Matches the error for a proxy's HTML page instead of Slack's answer. */
const noAddress = /^Failed to retrieve a new WSS URL .*An API error occurred: \s*</;

/**
 * Creates a logger that reduces the errors of the socket client. The client logs broken connections twice and then
 * reconnects, so each becomes one warning. Lost acknowledgements are dropped, because the pipeline logs them.
 */
export function forSockets(logger: Logger): Logger {
  return {
    ...logger,
    error: (...parts) => {
      const text = parts.map(String).join(' ');
      if (text.startsWith('Failed to send a ') || text.startsWith('WebSocket error! ')) return;
      if (noAddress.test(text))
        return logger.warn("Slack didn't return a connection URL; trying again");
      const [, reason] = /^WebSocket error occurred: ?(.*)/.exec(text) ?? [];
      if (reason === undefined) return logger.error(...parts);
      logger.warn(`A connection to Slack broke (${reason || 'no reason given'}); reconnecting`);
    },
  };
}
