import type { Server } from 'node:http';
import { type Logger, type Receiver, SocketModeReceiver } from '@slack/bolt';
import { parseJson } from 'base/parse-json';
import { sleep } from 'base/sleep';
import type { SlackDelivery } from '../../config/bot-config.ts';
import { createSlackFetch, type OnSlackCall } from './calls/slack-fetch.ts';
import { type Fields, isRecord } from './deliveries/delivery-address.ts';
import { forSockets } from './deliveries/lost-acknowledgements.ts';
import { acknowledgeMalformed } from './deliveries/malformed-envelopes.ts';
import { type AnswerHealth, createHttpReceiver, type ServePages } from './http/http-receiver.ts';
import { type SlackWait, waitForSlack } from './installations/read-identity.ts';

/** Called when Slack greets a new connection. */
export type OnHello = (hello: Fields) => void;

type ReceiverOptions = {
  delivery: SlackDelivery;
  apiUrl: string;
  stopping: AbortSignal;
  /** HTTP mode: a server that is already listening. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  onSlackCall?: OnSlackCall;
  onHello?: OnHello;
  pages?: ServePages | undefined;
  logger: Logger;
};

/** `isConnected`: whether deliveries can arrive. */
type ConnectedReceiver = Receiver & { isConnected(): boolean };

export type CreateReceivers = (
  options: ReceiverOptions,
) => [ConnectedReceiver, ...ConnectedReceiver[]];

/**
 * Receives Slack's deliveries. Socket Mode uses two connections: when Slack asks one to reconnect, that takes about five
 * seconds, and commands would fail in the meantime.
 */
export const createReceivers: CreateReceivers = (options) => {
  const { delivery } = options;
  if (delivery.mode === 'socket') {
    return [createSocket(options, delivery.appToken), createSocket(options, delivery.appToken)];
  }
  const { server, answerHealth, pages, logger } = options;
  return [createHttpReceiver({ ...delivery, server, answerHealth, pages, logger })];
};

/** Waits while Slack can't be reached. @throws like {@link waitForSlack}, and when the port is in use */
export async function startReceivers(receivers: readonly Receiver[], waiting: SlackWait) {
  const start = (each: Receiver) => waitForSlack(() => each.start(), 'SLACK_APP_TOKEN', waiting);
  await Promise.all(receivers.map(start));
}

const disconnectWaitMs = 2_000;

function createSocket(options: ReceiverOptions, appToken: string): ConnectedReceiver {
  const { apiUrl, stopping, onSlackCall, onHello, logger } = options;
  const receiver = new SocketModeReceiver({
    appToken,
    logger: forSockets(logger),
    // A separate object for each: the socket client changes the retries in it.
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
  // A client that is stopped during a reconnect connects anyway and stays connected (node-slack-sdk#2656).
  client.on('connected', () => {
    isConnected = true;
    if (stopped) void client.disconnect();
  });
  // Also when Slack replaces a connection; then `connected` follows.
  client.on('close', () => {
    isConnected = false;
  });
  return {
    isConnected: () => isConnected,
    init: (app) => receiver.init(app),
    start: () => {
      stopped = false;
      return receiver.start();
    },
    stop: async () => {
      stopped = true;
      const waiting = new AbortController();
      // A client that isn't connected may never report that it's disconnected.
      await Promise.race([client.disconnect(), sleep(disconnectWaitMs, waiting.signal)]);
      waiting.abort();
    },
  };
}
