import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type App, HTTPReceiver, type Logger, type ReceiverEvent } from '@slack/bolt';
import { requestLimits } from 'base/http/http-limits';
import { listenOn } from 'base/http/http-server';
import type { ConnectedReceiver, DeliverTo } from './connected-receiver.ts';
import { isRecord } from './deliveries/delivery-address.ts';
import { createHttpGuard } from './http-guard.ts';

type HttpReceiverOptions = {
  signingSecret: string;
  host: string;
  port: number;
  /** HTTP server to use, which may be listening already. By default, the receiver creates one. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  pages?: ServePages | undefined;
  logger: Logger;
};

/** Answers health probes. Returns false for other requests, which it leaves unanswered. */
export type AnswerHealth = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers a request for one of its pages. Returns false for other requests. */
export type ServePages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const endpoint = '/slack/events';

/** Error that answers a signed request with this status, without a line in the log. */
class Rejection extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Passes a delivery to the app.
 * @throws Rejection if nobody acknowledged the delivery. Slack then repeats it or keeps the form open.
 */
async function deliverTo(app: DeliverTo, event: ReceiverEvent): Promise<void> {
  if (!isRecord(event.body)) throw new Rejection('No delivery', 400);
  let isAcknowledged = false;
  await app.processEvent({
    ...event,
    async ack(response) {
      isAcknowledged = true;
      await event.ack(response);
    },
  });
  if (!isAcknowledged) throw new Rejection('Not acknowledged', 500);
}

/**
 * Creates the receiver for Slack's deliveries over HTTP. Its server also answers health probes and serves the install
 * pages. A guard rejects requests that can't come from Slack.
 */
export function createHttpReceiver(options: HttpReceiverOptions): ConnectedReceiver {
  const { signingSecret, host, port, logger, answerHealth, pages } = options;
  const { server = createServer(requestLimits) } = options;
  const bolt = new HTTPReceiver({
    signingSecret,
    endpoints: endpoint,
    logger,
    async processEventErrorHandler({ error, response }) {
      const isRejected = error instanceof Rejection;
      if (!isRejected) logger.error('A delivery failed:', error);
      if (!response.headersSent) response.writeHead(isRejected ? error.status : 500).end();
      return true;
    },
  });
  const guard = createHttpGuard(server, bolt.requestListener, logger);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (answerHealth?.(request, response)) return;
    const { method, url = '' } = request;
    const [path] = url.split('?');
    if (method === 'POST' && path === endpoint) return guard.deliver(request, response);
    if (await pages?.(request, response)) return;
    logger.info(`Unknown path: ${method} ${path}`);
    response.writeHead(404).end();
  }

  return {
    isConnected: () => server.listening,
    // Pass only `processEvent`, because Bolt's receiver uses nothing else of an app.
    init: (app) => bolt.init({ processEvent: (event) => deliverTo(app, event) } as App),
    async start() {
      server.removeAllListeners('request').on('request', (request, response) => {
        answer(request, response).catch((error: unknown) => {
          // Log errors while answering, such as a sender that disconnected.
          logger.warn(`Couldn't answer a request: ${String(error)}`);
          response.destroy();
        });
      });
      if (server.listening) return server;
      await listenOn(server, { host, port });
      return server.on('error', (error) => logger.error('The HTTP server failed:', error));
    },
    stop: guard.close,
  };
}
