import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { Hono } from 'hono';
import { ExplainedError } from '../../lib/explained-error.ts';
import { requestLimits } from '../../lib/http/http-limits.ts';
import { sleep } from '../../lib/sleep.ts';

type Listening = { port: number; close(): Promise<void> };

/**
 * Serves an app on a port; 0 picks a free one.
 * @param setting where the port comes from
 * @throws ExplainedError that names the address
 */
export async function listen(
  app: Hono,
  host: string,
  port: number,
  setting = 'RUNS_SERVICE_PORT',
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: requestLimits });
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

/** How long responses may take to end after the server has stopped listening. */
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
