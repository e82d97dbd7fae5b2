/** Slack's deliveries over HTTP. As Bolt's receiver, whose parts it uses, but a body is read once, and quickly. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type App,
  HTTPModuleFunctions,
  HTTPResponseAck,
  type Logger,
  type Receiver,
} from '@slack/bolt';
import { readBody, readDelivery } from './http-body.ts';
import { isFromSlack } from './http-signature.ts';
import { watchConnections } from './open-connections.ts';

type HttpReceiverOptions = {
  signingSecret: string;
  host: string;
  port: number;
  /** One that listens already, and is taken over at the start. */
  server?: Server | undefined;
  logger: Logger;
};

const { buildNoBodyResponse, buildUrlVerificationResponse } = HTTPModuleFunctions;

export function createHttpReceiver(options: HttpReceiverOptions): Receiver {
  const { signingSecret, host, port, logger } = options;
  let app: App | undefined;
  const { server = createServer() } = options;
  const takeRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      // Whoever sent it has gone, for one.
      logger.warn(`a request of Slack was not answered: ${String(error)}`);
      response.destroy();
    });
  };

  const connections = watchConnections(server);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const [path] = url.split('?');
    if (method === 'GET' && path === '/healthz') {
      response.end('ok\n');
    } else if (method === 'POST' && path === '/slack/events') {
      await deliver(request, response);
    } else {
      logger.info(`no deliveries arrive there: ${method} ${path}`);
      buildNoBodyResponse(response, 404);
    }
  }

  async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(request);
    connections.answer(request, response);
    if (text === undefined) {
      logger.warn('a request was larger than any delivery of Slack');
      response.setHeader('connection', 'close');
      return buildNoBodyResponse(response, 413);
    }
    if (!isFromSlack(signingSecret, request.headers, text)) {
      if (isCertificateCheck(text)) return buildNoBodyResponse(response, 200);
      logger.warn(
        'a request without the signature of Slack was refused; check SLACK_SIGNING_SECRET if it was Slack’s',
      );
      return buildNoBodyResponse(response, 401);
    }
    const body = readDelivery(text);
    if (!body) {
      logger.warn('a signed request was no delivery that can be read');
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
    // Then Slack delivers it again, or keeps the form open.
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
      logger.error('a delivery could not be processed:', error);
    }
    refuse();
  }

  return {
    init(to) {
      app = to;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.removeAllListeners('request').on('request', takeRequest);
        if (server.listening) return resolve(server);
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          server.on('error', (error) => logger.error('the HTTP server has trouble:', error));
          resolve(server);
        });
      }),
    stop: () => connections.close(),
  };
}

/** Slack looks now and then whether somebody is there, without a signature. Nothing else in it is heard. */
const isCertificateCheck = (text: string): boolean =>
  new URLSearchParams(text).get('ssl_check') === '1';
