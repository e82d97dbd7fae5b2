import type { Server } from 'node:http';
import type { Logger } from '@slack/bolt';
import type { SlackDelivery } from '../../config/bot-config.ts';
import type { OnSlackCall } from './calls/slack-fetch.ts';
import type { ConnectedReceiver } from './connected-receiver.ts';
import { type AnswerHealth, createHttpReceiver, type ServePages } from './http-receiver.ts';
import { createSocketReceiver, type OnHello } from './socket-receiver.ts';

type ReceiverOptions = {
  delivery: SlackDelivery;
  apiUrl: string;
  stopping: AbortSignal;
  /** HTTP server to use in HTTP mode, which may be listening already. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  onSlackCall?: OnSlackCall | undefined;
  onHello?: OnHello | undefined;
  pages?: ServePages | undefined;
  logger: Logger;
};

export type CreateReceivers = (options: ReceiverOptions) => readonly ConnectedReceiver[];

/**
 * Creates the receivers of Slack's deliveries. Socket Mode uses two connections, because reconnecting one takes about
 * five seconds. Commands would fail in the meantime.
 */
export const createReceivers: CreateReceivers = (options) => {
  const { delivery, apiUrl, stopping, onSlackCall, onHello, logger } = options;
  if (delivery.mode === 'socket') {
    const { appToken } = delivery;
    const socket = { appToken, apiUrl, stopping, onSlackCall, onHello, logger };
    return [createSocketReceiver(socket), createSocketReceiver(socket)];
  }
  const { signingSecret, host, port } = delivery;
  const { server, answerHealth, pages } = options;
  return [createHttpReceiver({ signingSecret, host, port, server, answerHealth, pages, logger })];
};
