import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Run } from '../../src/contract.ts';
import { createRunsClient, type RunsClient, type RunsClientOptions } from '../../src/index.ts';

export const testKey = 'key-of-the-tests-1234';

export type Received = {
  method: string;
  /** Path and query of the request. */
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: unknown;
};

export type ApiServer = {
  baseUrl: string;
  /** Received requests, in the order of arrival. */
  received: Received[];
  /** Creates a client of this server, which closes when the test ends. */
  client(options?: Partial<RunsClientOptions>): RunsClient;
};

type Answer = (response: ServerResponse, request: Received, count: number) => unknown;

/** Starts an HTTP server that stops when the test ends. `count` is the request's number, from 1. */
export async function startApiServer(answer: Answer): Promise<ApiServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url = '', headers, rawHeaders } = request;
    const each = {
      method,
      url,
      headers,
      rawHeaders,
      body: text === '' ? undefined : JSON.parse(text),
    };
    await answer(response, each, received.push(each));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return { baseUrl, received, client: (options) => testClient(baseUrl, options) };
}

/** Creates a client that closes when the test ends. */
export function testClient(baseUrl: string, options: Partial<RunsClientOptions> = {}): RunsClient {
  const client = createRunsClient({ baseUrl, apiKey: testKey, ...options });
  onTestFinished(() => client.close());
  return client;
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function aRun(changes: Partial<Run> = {}): Run {
  return {
    run_id: 'run-1',
    title: 'Mend it',
    prompt: 'Mend the login test',
    state: 'INPROGRESS',
    created_at: '2026-11-21T10:00:00Z',
    updated_at: '2026-11-21T10:00:01Z',
    ...changes,
  };
}
