/** Protects Bolt's HTTP receiver from requests that don't come from Slack. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from '@slack/bolt';

/** Max open requests. Slack opens far fewer, and all their bodies must fit into memory. */
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
const closeAfterMs = 500;

/** Request with its whole body in `rawBody`, where Bolt's receiver looks for it. */
type BufferedRequest = IncomingMessage & { rawBody: Buffer };

type Receive = (request: BufferedRequest, response: ServerResponse) => void;

/**
 * Creates the guard of the delivery endpoint. It reads a request's body and hands it to Bolt, which verifies the
 * signature. It rejects requests that are too large, or have no recent signature.
 */
export function createHttpGuard(server: Server, receive: Receive, logger: Logger) {
  const requests = trackRequests(server);

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
        // Close the connection a little later, so that the sender can read the answer.
        response.once('finish', () => request.socket.setTimeout(closeAfterMs));
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

    close: requests.close,
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

/**
 * Reads the body of a request. Returns undefined if it's too large, without reading the rest.
 * @throws if the sender disconnects
 */
function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    function take(chunk: Buffer): void {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limit) return;
      request.off('data', take).pause();
      resolve(undefined);
    }
    request.on('data', take);
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Tracks the requests that aren't answered yet. */
function trackRequests(server: Server) {
  const open = new Map<IncomingMessage, ServerResponse>();
  return {
    /**
     * Adds a request. If too many are open, closes the oldest one that is still being sent. Slack sends a delivery
     * within milliseconds, so the oldest one is probably not from Slack. Returns false if all open requests are
     * complete. The caller must then reject the new one.
     */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      if (open.size >= maxOpen) {
        const slowest = [...open.keys()].find((each) => !each.complete);
        if (!slowest) return false;
        open.delete(slowest);
        slowest.destroy();
      }
      open.set(request, response);
      response.once('close', () => open.delete(request));
      return true;
    },

    /** Accepts no more connections, and resolves when every complete request is answered. */
    async close(): Promise<void> {
      // Ignore an error, which only means that the server isn't listening.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const answered = [...open].map(async ([request, response]) => {
        if (!request.complete) return void request.destroy();
        response.shouldKeepAlive = false;
        await once(response, 'close');
      });
      await Promise.all(answered);
      server.closeAllConnections();
      await closed;
    },
  };
}
