import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { ExplainedError } from 'base/explained-error';
import { requestLimits } from 'base/http/http-limits';
import { sleep } from 'base/sleep';
import type { Hono } from 'hono';
import { ApiProblem, rawProblemResponse } from './problem.ts';

type Listening = { port: number; close(): Promise<void> };

/**
 * Serves an app on a port. Port 0 selects a free one.
 * @param setting name of the variable that sets the port
 * @throws ExplainedError with the address, if the port can't be used
 */
export async function listen(
  app: Pick<Hono, 'fetch'>,
  host: string,
  port: number,
  setting = 'RUNS_SERVICE_PORT',
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: requestLimits });
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
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    close: () => closeServer(server),
  };
}

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
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: current } = socket as { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || current?.headersSent) return void socket.destroy();
  const problem = unreadable[error.code ?? ''] ?? malformed;
  socket.end(rawProblemResponse(problem, randomUUID()), () => socket.destroy());
}

/** Time in ms that responses have to finish after the server has stopped listening. */
const drainMs = 500;

async function closeServer(server: ServerType): Promise<void> {
  const closed = new AbortController();
  server.close(() => closed.abort());
  const deadline = performance.now() + drainMs;
  while (!closed.signal.aborted && performance.now() < deadline) {
    if ('closeIdleConnections' in server) server.closeIdleConnections();
    await sleep(10, closed.signal);
  }
  if ('closeAllConnections' in server) server.closeAllConnections();
  while (!closed.signal.aborted) await sleep(10, closed.signal);
}
