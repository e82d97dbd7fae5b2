/** Receives Slack's deliveries over HTTP. Built from parts of Bolt's receiver, but reads each body only once. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type App,
  HTTPModuleFunctions,
  HTTPResponseAck,
  type Logger,
  type Receiver,
} from '@slack/bolt';
import { requestLimits } from 'base/http/http-limits';
import { listenOn } from 'base/http/http-server';
import { mostUnsignedBytes, readBody, readDelivery } from './http-body.ts';
import { hasSignature, isFromSlack } from './http-signature.ts';
import { watchConnections } from './open-connections.ts';
import { limitOpenDeliveries } from './open-deliveries.ts';

type HttpReceiverOptions = {
  signingSecret: string;
  host: string;
  port: number;
  /** A server that is already listening. */
  server?: Server | undefined;
  answerHealth?: AnswerHealth | undefined;
  pages?: ServePages | undefined;
  logger: Logger;
};

/** Answers probes. @returns false for other requests, which are left alone */
export type AnswerHealth = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers a request if it's for one of its pages. */
export type ServePages = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

const closeAfterMs = 500;

const { buildNoBodyResponse, buildUrlVerificationResponse } = HTTPModuleFunctions;

export function createHttpReceiver(
  options: HttpReceiverOptions,
): Receiver & { isConnected(): boolean } {
  const { signingSecret, host, port, logger, answerHealth } = options;
  let app: App | undefined;
  const { server = createServer(requestLimits) } = options;
  const takeRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      // For example, the sender disconnected.
      logger.warn(`Couldn't answer a request: ${String(error)}`);
      response.destroy();
    });
  };

  const connections = watchConnections(server);
  const deliveries = limitOpenDeliveries();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (answerHealth?.(request, response)) return;
    const { method, url = '' } = request;
    const [path] = url.split('?');
    if (method === 'POST' && path === '/slack/events') {
      await deliver(request, response);
    } else if (!(await options.pages?.(request, response))) {
      logger.info(`Unknown path: ${method} ${path}`);
      buildNoBodyResponse(response, 404);
    }
  }

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!deliveries.admit(request, response)) {
      logger.warn('Rejected a request because too many are open');
      response.setHeader('connection', 'close');
      return buildNoBodyResponse(response, 503);
    }
    const text = await readBody(request, hasSignature(request.headers));
    connections.answer(request, response);
    if (text === undefined) {
      logger.warn('Rejected a request that is too large to come from Slack');
      // Closed at once, the connection would be reset before the sender has read the answer.
      response.once('finish', () => request.socket.setTimeout(closeAfterMs));
      return buildNoBodyResponse(response, 413);
    }
    if (!isFromSlack(signingSecret, request.headers, text)) {
      if (isCertificateCheck(text)) return buildNoBodyResponse(response, 200);
      logger.warn(
        "Rejected a request without Slack's signature. If it came from Slack, check SLACK_SIGNING_SECRET.",
      );
      return buildNoBodyResponse(response, 401);
    }
    const body = readDelivery(text);
    if (!body) {
      logger.warn('Rejected a signed request that is unreadable');
      return buildNoBodyResponse(response, 400);
    }
    if (body['type'] === 'url_verification') return buildUrlVerificationResponse(response, body);
    if (body['ssl_check'] === '1') return buildNoBodyResponse(response, 200);
    await process(request, response, body);
  }

  async function process(
    request: IncomingMessage,
    response: ServerResponse,
    body: Record<string, unknown>,
  ): Promise<void> {
    const parts = { logger, httpRequest: request, httpRequestBody: body, httpResponse: response };
    const ack = new HTTPResponseAck({ ...parts, processBeforeResponse: false });
    // Then Slack repeats the delivery or keeps the form open.
    const refuse = () => {
      ack.ack();
      if (!response.headersSent) buildNoBodyResponse(response, 500);
    };
    const retryNum = HTTPModuleFunctions.extractRetryNumFromHTTPRequest(request);
    const retryReason = HTTPModuleFunctions.extractRetryReasonFromHTTPRequest(request);
    const retry = {
      ...(retryNum !== undefined && { retryNum }),
      ...(retryReason && { retryReason }),
    };
    try {
      await app?.processEvent({ body, ack: ack.bind(), ...retry });
    } catch (error) {
      logger.error('A delivery failed:', error);
    }
    refuse();
  }

  return {
    isConnected: () => server.listening,
    init(to) {
      app = to;
    },
    async start() {
      server.removeAllListeners('request').on('request', takeRequest);
      if (server.listening) return server;
      await listenOn(server, { host, port });
      return server.on('error', (error) => logger.error('The HTTP server failed:', error));
    },
    stop: () => connections.close(),
  };
}

/** From time to time Slack checks the certificate, without a signature. The rest of the request is ignored. */
const isCertificateCheck = (text: string): boolean =>
  text.length <= mostUnsignedBytes && new URLSearchParams(text).get('ssl_check') === '1';
