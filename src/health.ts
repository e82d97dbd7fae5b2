import { createServer, type Server } from 'node:http';
import { requestLimits } from './lib/http-limits.ts';
import type { Part } from './lib/run-process.ts';

export type Health = Part & {
  /** Sets why the process isn't ready; undefined means ready. */
  waitFor(what: string | undefined): void;
  /** In HTTP mode, Slack's deliveries use the same port. */
  readonly server: Server;
};

/**
 * Answers GET /healthz from the start: 200 when everything is running, and 503 with the reason until then. Slack's
 * deliveries get a 503 too, so that Slack repeats them.
 */
export function createHealth({ host, port }: { host: string; port: number }): Health {
  let missing: string | undefined = 'starting';
  const server = createServer(requestLimits, (request, response) => {
    const isHealth = request.method === 'GET' && request.url?.split('?')[0] === '/healthz';
    if (missing !== undefined) response.writeHead(503).end(`${missing}\n`);
    else if (isHealth) response.end('ok\n');
    else response.writeHead(404).end();
  });
  return {
    server,
    waitFor(what) {
      missing = what;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
