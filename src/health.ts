import { createServer, type Server } from 'node:http';
import type { Part } from './lib/run-process.ts';

export type Health = Part & {
  /** Says why the process isn't ready; undefined when it is. */
  waitFor(what: string | undefined): void;
  /** For Slack's deliveries, which come to the same port in HTTP mode. */
  readonly server: Server;
};

/**
 * Answers GET /healthz from the first moment on: 200 when everything runs, until then 503 and what is missing. Slack is
 * answered 503 until then too, and delivers again.
 */
export function createHealth({ host, port }: { host: string; port: number }): Health {
  let missing: string | undefined = 'starting';
  const server = createServer((request, response) => {
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
