/** Protects Bolt's HTTP receiver from requests that don't come from Slack. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from '@slack/bolt';
import { createOpenRequests, type OpenRequests } from 'base/http/open-requests';
import { closeAfterAnswer, readBody } from 'base/http/read-body';

/** Max open requests. Slack opens far fewer. */
const maxOpen = 100;
/** Max body of a request with a recent signature. Slack's deliveries are a hundred times smaller. */
const maxBytes = 4 * 1024 * 1024;
/**
 * Max body of a request without a recent signature. Only Slack's check of the TLS certificate has no signature, and its
 * body is tiny.
 */
const maxUnsignedBytes = 1_024;
/**
 * Max difference between a request's time and now. Bolt rejects older requests. Requests with a later time are rejected
 * here, because they could be replayed.
 */
const toleranceSeconds = 5 * 60;

/** Request with its whole body in `rawBody`, where Bolt's receiver looks for it. */
type BufferedRequest = IncomingMessage & { rawBody: Buffer };

type Receive = (request: BufferedRequest, response: ServerResponse) => void;

/**
 * Creates the guard of the delivery endpoint. It reads a request's body and hands it to Bolt, which verifies the
 * signature. It rejects requests that are too large, or have no recent signature.
 */
export function createHttpGuard(server: Server, receive: Receive, logger: Logger) {
  const requests = createOpenRequests(maxOpen);

  return {
    async deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const end = (status: number) => void response.writeHead(status).end();
      if (!requests.admit(request, response)) {
        logger.warn('Rejected a request because too many are open');
        response.setHeader('connection', 'close');
        return end(503);
      }
      const isSigned = hasRecentSignature(request.headers);
      const rawBody = await readBody(request, isSigned ? maxBytes : maxUnsignedBytes);
      if (!rawBody) {
        logger.warn('Rejected a request that is too large to come from Slack');
        closeAfterAnswer(request, response);
        return end(413);
      }
      if (!isSigned && isCertificateCheck(rawBody)) return end(200);
      response.once('finish', () => {
        if (response.statusCode === 401) logger.warn(notSigned);
      });
      if (!isSigned) return end(401);
      const isJson = rawBody.subarray(0, 1).equals(brace);
      if (!isJson && !fields.some((field) => rawBody.includes(field))) return end(400);
      // Replace the content type, because proxies may add a charset, and Bolt can't read forms with a charset.
      request.headers['content-type'] = isJson ? json : form;
      receive(Object.assign(request, { rawBody }), response);
    },

    close: () => closeServer(server, requests),
  };
}

const notSigned =
  "Rejected a request without Slack's signature. If it came from Slack, check SLACK_SIGNING_SECRET.";

const brace = Buffer.from('{');
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
/** Forms from Slack have one of these fields. */
const fields = ['payload=', 'command=', 'ssl_check='];

/** Returns true if the request has a signature with a recent time. Bolt checks later if the signature is valid. */
function hasRecentSignature({
  'x-slack-signature': signature,
  'x-slack-request-timestamp': timestamp,
}: IncomingHttpHeaders): boolean {
  if (!signature || typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) - Date.now() / 1_000) <= toleranceSeconds;
}

/** Returns true if Slack only checks the certificate, which it sometimes does without a signature. */
const isCertificateCheck = (body: Buffer): boolean =>
  new URLSearchParams(body.toString()).get('ssl_check') === '1';

/** Accepts no more connections, and resolves when every complete request is answered. */
async function closeServer(server: Server, requests: OpenRequests): Promise<void> {
  // Ignore an error, which only means that the server isn't listening.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const answered = requests.all().map(async ([request, response]) => {
    if (!request.complete) return void request.destroy();
    response.shouldKeepAlive = false;
    await once(response, 'close');
  });
  await Promise.all(answered);
  server.closeAllConnections();
  await closed;
}
