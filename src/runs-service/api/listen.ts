import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { ExplainedError } from '../../lib/explained-error.ts';
import { requestLimits } from '../../lib/http-limits.ts';

export type Listening = { port: number; close(): Promise<void> };

/**
 * Serves an app on a port; 0 picks a free one.
 * @throws ExplainedError that names the address
 */
export async function listen(app: Hono, host: string, port: number): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: requestLimits });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ExplainedError(
          `The runs service can't listen on ${host}:${port} (${error.code}). Set another RUNS_SERVICE_PORT.`,
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
