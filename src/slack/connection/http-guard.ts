/** Protects Bolt's HTTP receiver from requests that don't come from Slack. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from '@slack/bolt';

/** Slack has far fewer open, and the bodies of all of them must fit into memory. */
const maxOpen = 100;
/** Slack's deliveries are a hundred times smaller. */
const maxBytes = 4 * 1024 * 1024;
/** Limit without a recent signature: Slack's check of the certificate is tiny. */
const maxUnsignedBytes = 1_024;
/** Bolt rejects older requests. Later ones are rejected here, because they could be replayed. */
const toleranceSeconds = 5 * 60;
const closeAfterMs = 500;

/** A request with its whole body, where Bolt's receiver looks for it. */
type BufferedRequest = IncomingMessage & { rawBody: Buffer };

type Receive = (request: BufferedRequest, response: ServerResponse) => void;

/**
 * Reads the body of a request, and hands it to Bolt if it may come from Slack: not too large, with a recent signature,
 * which Bolt verifies.
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
        // If the connection is closed at once, the sender can't read the answer.
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
      // Proxies may add a charset, with which Bolt can't read forms.
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

/** Returns true for a recent signature, which may be wrong. */
function hasRecentSignature({
  'x-slack-signature': signature,
  'x-slack-request-timestamp': timestamp,
}: IncomingHttpHeaders): boolean {
  if (!signature || typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) - Date.now() / 1_000) <= toleranceSeconds;
}

/** Slack sometimes checks the certificate without a signature. The rest of the request is ignored. */
const isCertificateCheck = (body: Buffer): boolean =>
  new URLSearchParams(body.toString()).get('ssl_check') === '1';

/**
 * Returns undefined if the body is too large. Then the rest isn't read.
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
     * Returns false if there are too many: then nothing may be read of the request. If others are still being sent, the
     * slowest is cut off instead, because Slack sends a delivery within milliseconds.
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
      // An error means that it isn't listening, which is fine here.
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
