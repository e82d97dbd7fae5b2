import { type ServerType, serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Part } from './lib/run-process.ts';

/** Answers GET /healthz while the process is alive, for container engines. */
export function createHealthServer({ host, port }: { host: string; port: number }): Part {
  const app = new Hono().get('/healthz', (context) => context.text('ok\n'));
  let server: ServerType | undefined;
  return {
    start: () =>
      new Promise((resolve, reject) => {
        server = serve({ fetch: app.fetch, hostname: host, port }, () => resolve());
        server.once('error', reject);
      }),
    stop: () =>
      new Promise((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      }),
  };
}
