import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRunsClient, type RunsClient } from '../../src/runs-api/runs-client.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function clientOf(listener: RequestListener): Promise<RunsClient> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createRunsClient({ baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: 'key-1' });
  open.push(client, {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return client;
}

const aRun = (id: string) => ({
  run_id: id,
  prompt: 'p',
  state: 'QUEUED',
  created_at: '2026-11-21T00:00:00Z',
  updated_at: '2026-11-21T00:00:00Z',
});

describe('the runs client', () => {
  it('gets a run with its key', async () => {
    const client = await clientOf((request, response) => {
      response.end(
        JSON.stringify({ ...aRun(`${request.url}`), who: request.headers.authorization }),
      );
    });
    const run = await client.runs.get('a/b');
    expect(run).toMatchObject({ run_id: '/api/v1/agent/runs/a%2Fb', who: 'Bearer key-1' });
  });

  it('iterates over all pages', async () => {
    const client = await clientOf((request, response) => {
      const isLast = request.url?.includes('cursor=c2');
      const page_info = isLast
        ? { has_next_page: false }
        : { has_next_page: true, next_cursor: 'c2' };
      response.end(JSON.stringify({ runs: [aRun(isLast ? '2' : '1')], page_info }));
    });
    const ids: string[] = [];
    for await (const run of client.runs.list()) ids.push(run.run_id);
    expect(ids).toEqual(['1', '2']);
  });

  it('names a refusal by code', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(404).end('{"error":"no such run","status":404}');
    });
    await expect(client.runs.get('x')).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it('creates a run with a request id', async () => {
    const client = await clientOf((request, response) => {
      request.resume().on('end', () => {
        const id = request.headers['idempotency-key'];
        response.end(JSON.stringify({ run_id: id, state: 'QUEUED' }));
      });
    });
    const created = await client.runs.create({ prompt: 'fix it' }, { idempotencyKey: 'r-1' });
    expect(created.run_id).toBe('r-1');
  });
});
