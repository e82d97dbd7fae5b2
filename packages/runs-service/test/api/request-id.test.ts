import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from 'base/logger';
import { problemSchema } from 'runs-client/contract';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../support/databases.ts';
import { shellEnvironment, startRunsService } from '../support/runs-service.ts';

const start = (more = {}) =>
  startRunsService({ environments: [shellEnvironment('true')], ...more });

describe('every response names its request', () => {
  it('with a new id, or the one that came with it', async () => {
    const { request } = await start();
    const idOf = async (path: string, given?: string) => {
      const headers = given === undefined ? {} : { 'x-request-id': given };
      return (await request(path, { headers })).headers.get('x-request-id');
    };
    const ids = await Promise.all(
      ['/agent/runs', '/agent/runs/none', '/nothing', '/../../healthz', '/openapi.json'].map(
        (path) => idOf(path),
      ),
    );
    for (const id of ids) expect(id).toMatch(/^[\w-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await idOf('/agent/runs', 'ci.17:a=b')).toBe('ci.17:a=b');
    for (const unsafe of ['a b', 'x'.repeat(201), '<script>'])
      expect(await idOf('/agent/runs', unsafe)).toMatch(/^[\w-]{36}$/);
  });

  it('which its problem and the log have too', async () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const db = await openTestDatabase('sqlite::memory:');
    const { request } = await start({ logger, db });
    const get = async (path: string) => {
      const response = await request(path, { headers: { 'x-request-id': 'my-request' } });
      return problemSchema.parse(await response.json());
    };
    expect(await get('/agent/runs/none')).toMatchObject({ status: 404, trace_id: 'my-request' });
    await db.schema.dropTable('service_artifacts').execute();
    const failed = await get('/agent/artifacts/a');
    expect(failed).toMatchObject({ status: 500, trace_id: 'my-request' });
    expect(failed.detail).toContain('my-request');
    const logged = lines.map((line) => JSON.parse(line) as object);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'a request failed', requestId: 'my-request' }),
    );
  });
});

const unreadable: [name: string, lines: string[], status: number, says: RegExp][] = [
  ['a header without a name', ['GET / HTTP/1.1', ': x'], 400, /isn't valid HTTP/],
  ['no HTTP at all', ['hello'], 400, /isn't valid HTTP/],
  ['headers of 20 KB', ['GET / HTTP/1.1', `x: ${'x'.repeat(20_000)}`], 431, /smaller ones/],
];
it.each(unreadable)('%s is answered with a problem', async (_, lines, status, says) => {
  const { service } = await start();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain('content-type: application/problem+json');
  const problem = problemSchema.parse(JSON.parse(body));
  expect(problem).toMatchObject({ status, detail: expect.stringMatching(says) });
  expect(head).toContain(`x-request-id: ${problem.trace_id}`);
});
