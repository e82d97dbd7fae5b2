import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { ExplainedError } from 'base/explained-error';
import { requestLimits } from 'base/http/http-limits';
import { sleep } from 'base/sleep';
import type { Hono } from 'hono';
import { ApiProblem, rawProblemResponse } from './problem.ts';

type Listening = { port: number; close(): Promise<void> };

type ListenOptions = {
  /** Name of the variable that sets the port. */
  setting?: string;
  /**
   * Answers a request before the app. Returns false if the app has to answer. Nothing limits the time in which the
   * body of such a request arrives.
   */
  answerDirectly?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

/**
 * Serves an app on a port. Port 0 selects a free one.
 * @throws ExplainedError with the address, if the port can't be used
 */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  host: string,
  port: number,
  { setting = 'RUNS_SERVICE_PORT', answerDirectly = () => false }: ListenOptions = {},
): Promise<Listening> {
  const answer = getRequestListener(app.fetch);
  // Node's limit for a whole request is the same for all paths, so `limitArrival` replaces it.
  const server = createServer({ ...requestLimits, requestTimeout: 0 }, (request, response) => {
    if (answerDirectly(request, response)) return;
    limitArrival(request);
    void answer(request, response);
  });
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ExplainedError(
          `Can't listen on ${host}:${port} (${error.code}). Set another ${setting}.`,
          { cause: error },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const { port: given } = server.address() as AddressInfo;
  return {
    port: given,
    close: () => closeServer(server),
  };
}

/** Rejects a request if its body hasn't arrived in time. */
function limitArrival(request: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return;
  const late = setTimeout(() => {
    if (!request.complete) answerUnreadable(tooSlow, request.socket);
  }, requestLimits.requestTimeout);
  request.once('close', () => clearTimeout(late));
}
const tooSlow = { code: 'ERR_HTTP_REQUEST_TIMEOUT' };

const unreadable: Record<string, ApiProblem> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ApiProblem(
    'request_timeout',
    'The request took longer than ten seconds to arrive. Send it again.',
  ),
  HPE_HEADER_OVERFLOW: new ApiProblem(
    'headers_too_large',
    'The headers are larger than 16 KiB. Send smaller ones.',
  ),
};
const malformed = new ApiProblem(
  'invalid_request',
  "The request isn't valid HTTP. Check what sends it, and the proxies between.",
);

/**
 * Responds to requests that Node can't parse and doesn't pass to the app. Closes the connection if a response has
 * begun, as Node does.
 */
function answerUnreadable(error: { code?: string | undefined }, socket: Duplex): void {
  const { _httpMessage: current } = socket as { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || current?.headersSent) return void socket.destroy();
  const problem = unreadable[error.code ?? ''] ?? malformed;
  socket.end(rawProblemResponse(problem, randomUUID()), () => socket.destroy());
}

/** Time in ms that responses have to finish after the server has stopped listening. */
const drainMs = 500;

async function closeServer(server: Server): Promise<void> {
  const closed = new AbortController();
  server.close(() => closed.abort());
  const deadline = performance.now() + drainMs;
  while (!closed.signal.aborted && performance.now() < deadline) {
    server.closeIdleConnections();
    await sleep(10, closed.signal);
  }
  server.closeAllConnections();
  while (!closed.signal.aborted) await sleep(10, closed.signal);
}
