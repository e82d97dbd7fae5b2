import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const run = (state: string, more: object = {}) => ({
  run_id: 'run-of-the-stub',
  title: 'Go',
  prompt: 'go',
  state,
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: new Date().toISOString(),
  ...more,
});

const listed = (body: string) =>
  JSON.stringify({ runs: [JSON.parse(body) as object], page_info: { has_next_page: false } });

/** A runs API whose answers a test sets. It can be stopped and started again at the same address. */
export async function startApiStub() {
  let server: Server | undefined;
  let port = 0;
  let reply = () => ({ type: 'application/json', body: JSON.stringify(run('INPROGRESS')) });
  const created: string[] = [];
  const canceled: string[] = [];
  let cancelStatuses = [200];

  const start = () =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        const isCancel = request.url?.endsWith('/cancel');
        // This service doesn't accept follow-ups.
        if (request.url?.endsWith('/followups')) {
          request.resume().on('end', () => response.writeHead(404).end());
          return;
        }
        if (request.method === 'POST') (isCancel ? canceled : created).push(request.url ?? '');
        const { type, body } = reply();
        if (isCancel) {
          const status = cancelStatuses[canceled.length - 1] ?? cancelStatuses.at(-1) ?? 200;
          request.resume().on('end', () => {
            response
              .writeHead(status, { 'content-type': 'application/json' })
              .end(
                JSON.stringify({ run_id: 'run-of-the-stub', title: 'As the test says', status }),
              );
          });
          return;
        }
        const isList = request.url?.includes('/agent/runs?') && type !== 'text/html';
        const list = isList ? listed(body) : body;
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-type': type }).end(list);
        });
      }).listen(port, '127.0.0.1', () => {
        const address = server?.address() as AddressInfo;
        port = address.port;
        resolve();
      });
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server?.closeAllConnections();
      if (server?.listening) server.close(() => resolve());
      else resolve();
    });

  await start();
  onTestFinished(stop);
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    start,
    stop,
    created,
    canceled,
    answers(state: string, more?: object) {
      reply = () => ({ type: 'application/json', body: JSON.stringify(run(state, more)) });
    },
    /** Answers cancels with these statuses in order. The last one repeats. */
    answersCancel(...statuses: number[]) {
      cancelStatuses = statuses;
    },
    answersHtml() {
      const body = '<html><body><h1>Welcome to the proxy</h1></body></html>';
      reply = () => ({ type: 'text/html', body });
    },
  };
}
