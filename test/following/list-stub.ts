import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListRunsQuery, Run } from 'runs-client/contract';
import { onTestFinished } from 'vitest';

/** Returns all runs that match a query, in order, or an error status. */
type Answer = (query: ListRunsQuery) => readonly Run[] | 429 | 503;

/** Starts a runs API with lists and single runs. The list's cursor is an offset. */
export async function startListStub(
  answer: Answer,
  single: (runId: string) => Run | 404 | 429 | 503 = () => 404,
  aheadMs = 0,
) {
  const queries: ListRunsQuery[] = [];
  const looks: string[] = [];
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const runId = /\/agent\/runs\/(.+)$/.exec(pathname)?.[1];
    if (runId !== undefined) {
      looks.push(runId);
      const run = single(runId);
      const status = typeof run === 'number' ? run : 200;
      const headers = { 'content-type': 'application/json', 'retry-after': '30' };
      response.writeHead(status, headers).end(JSON.stringify(status === 200 ? run : {}));
      return;
    }
    const query = Object.fromEntries(searchParams) as ListRunsQuery;
    queries.push(query);
    const fitting = answer(query);
    if (typeof fitting === 'number') {
      response.writeHead(fitting, { 'retry-after': '30' }).end('{}');
      return;
    }
    const from = Number(query.cursor ?? 0);
    const to = from + Number(query.limit ?? 100);
    const page_info = { has_next_page: to < fitting.length, next_cursor: String(to) };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ runs: fitting.slice(from, to), page_info }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, queries, looks };
}
