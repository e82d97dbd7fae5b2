import type { Server } from 'node:http';
import { type Logger, type Receiver, SocketModeReceiver } from '@slack/bolt';
import { sleep } from '../../lib/sleep.ts';
import { createHttpReceiver } from './http-receiver.ts';
import { forSockets } from './lost-acknowledgements.ts';
import { acknowledgeMalformed } from './malformed-envelopes.ts';
import { type SlackWait, waitForSlack } from './read-identity.ts';
import { createSlackFetch } from './slack-fetch.ts';

/** How Slack's deliveries reach us. */
export type SlackDelivery =
  | { mode: 'socket'; appToken: string }
  | { mode: 'http'; signingSecret: string; port: number; host: string };

type ReceiverOptions = {
  delivery: SlackDelivery;
  apiUrl: string;
  stopping: AbortSignal;
  /** In HTTP mode: one that listens already. */
  server?: Server | undefined;
  logger: Logger;
};

/**
 * What Slack's deliveries arrive through. In Socket Mode two connections: after Slack asks one of them to reconnect it
 * is away for about five seconds, in which commands would fail.
 */
export function createReceivers(options: ReceiverOptions): [Receiver, ...Receiver[]] {
  const { delivery } = options;
  if (delivery.mode === 'socket') {
    return [createSocket(options, delivery.appToken), createSocket(options, delivery.appToken)];
  }
  const { server, logger } = options;
  return [createHttpReceiver({ ...delivery, server, logger })];
}

/** Waits for a Slack that can't be reached. @throws as {@link waitForSlack} does, and when the port is taken */
export async function startReceivers(receivers: readonly Receiver[], waiting: SlackWait) {
  const start = (each: Receiver) => waitForSlack(() => each.start(), 'SLACK_APP_TOKEN', waiting);
  await Promise.all(receivers.map(start));
}

const disconnectWaitMs = 2_000;

function createSocket({ apiUrl, stopping, logger }: ReceiverOptions, appToken: string): Receiver {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: forSockets(logger),
    // An object of its own for each: the socket client writes its long retries into it.
    installerOptions: { clientOptions: { slackApiUrl: apiUrl, fetch: createSlackFetch(stopping) } },
  });
  const { client } = receiver;
  acknowledgeMalformed(client, logger);
  let stopped = false;
  // Stopped while a reconnect was under way, the client would connect afterwards and stay (node-slack-sdk#2656).
  client.on('connected', () => {
    if (stopped) void client.disconnect();
  });
  return {
    init: (app) => receiver.init(app),
    start: () => {
      stopped = false;
      return receiver.start();
    },
    stop: async () => {
      stopped = true;
      const waiting = new AbortController();
      // A client that is not connected now may never report that it has disconnected.
      await Promise.race([client.disconnect(), sleep(disconnectWaitMs, waiting.signal)]);
      waiting.abort();
    },
  };
}
