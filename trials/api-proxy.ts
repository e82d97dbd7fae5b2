import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sleep } from 'base/sleep';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Random } from './random.ts';

const kinds = [
  'cut before',
  'cut after',
  '503 before',
  '502 after',
  '429',
  'slow',
  'HTML',
  'stale',
] as const;

/** Faults of an event stream. */
const streamKinds = ['events lost', 'events twice', 'stream cut'] as const;

type Answer = { status: number; body: string };
const runShape = z.looseObject({ run_id: z.string() });
const pageShape = z.looseObject({ runs: z.array(runShape) });

/**
 * Starts a proxy that breaks a random share of the calls to a runs API, before or after they take effect. `stale`
 * returns runs in the state in which the proxy first saw them.
 */
export async function startApiProxy(target: string, random: Random, share: number) {
  const struck = new Map<string, number>();
  const firstSeen = new Map<string, z.infer<typeof runShape>>();
  let isCalm = false;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);

  async function forward(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const { authorization = '', 'idempotency-key': key } = request.headers;
    const headers: Record<string, string> = { authorization, 'content-type': 'application/json' };
    if (typeof key === 'string') headers['idempotency-key'] = key;
    const { method = 'GET', url = '' } = request;
    const sent = method === 'GET' ? { method, headers } : { method, headers, body };
    const answer = await fetch(new URL(target).origin + url, sent);
    return { status: answer.status, body: await answer.text() };
  }

  const remember = (run: z.infer<typeof runShape>) => {
    const first = firstSeen.get(run.run_id) ?? run;
    firstSeen.set(run.run_id, first);
    return first;
  };

  /** Returns the response with each run in its first seen state. */
  function makeStale({ status, body }: Answer): Answer {
    const parsed: unknown = JSON.parse(body);
    const page = pageShape.safeParse(parsed).data;
    if (page) return { status, body: JSON.stringify({ ...page, runs: page.runs.map(remember) }) };
    const run = runShape.safeParse(parsed).data;
    return run ? { status, body: JSON.stringify(remember(run)) } : { status, body };
  }

  function strike<Kind extends string>(among: readonly [Kind, ...Kind[]]): Kind | undefined {
    const fault = !isCalm && random.chance(share) ? random.pick(among) : undefined;
    if (fault) struck.set(fault, (struck.get(fault) ?? 0) + 1);
    return fault;
  }

  async function passEvents(
    { url = '', headers: { authorization = '' } }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { status, headers, body } = await fetch(new URL(target).origin + url, {
      headers: { authorization },
      signal: gone.signal,
    });
    response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' });
    for await (const chunk of body ?? []) {
      const fault = strike(streamKinds);
      if (fault === 'stream cut') return void response.destroy();
      if (fault !== 'events lost') response.write(chunk);
      if (fault === 'events twice') response.write(chunk);
    }
    response.end();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const fault = strike(kinds);
    const send = ({ status, body: text }: Answer, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    switch (fault) {
      case 'cut before':
        return void response.destroy();
      case '503 before':
        return void send({ status: 503, body: '{}' });
      case '429':
        return void send({ status: 429, body: '{}' }, { 'retry-after': '1' });
      case 'HTML':
        return void send(
          { status: 200, body: '<html>Sign in to the proxy</html>' },
          { 'content-type': 'text/html' },
        );
    }
    if (request.url?.endsWith('/agent/runs/events')) return passEvents(request, response);
    const real = await forward(request, body);
    const stale = makeStale(real);
    switch (fault) {
      case 'cut after':
        return void response.destroy();
      case '502 after':
        return void send({ status: 502, body: '<html>Bad gateway</html>' });
      case 'stale':
        return void send(request.method === 'GET' ? stale : real);
      case 'slow':
        await sleep(random.between(200, 2_500), closing.signal);
    }
    send(real);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    closing.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/v1`,
    struck: () => Object.fromEntries(struck),
    /** Stops breaking calls, for the end of a trial. */
    calm: () => {
      isCalm = true;
    },
  };
}
