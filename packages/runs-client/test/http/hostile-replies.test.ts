import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RunsApiError } from '../../src/runs-api-error.ts';
import { aRun, startApiServer, testClient, testKey } from '../support/api-server.ts';

const isTyped = (error: unknown) => {
  expect(error).toBeInstanceOf(RunsApiError);
  expect(String((error as Error).stack)).not.toContain(testKey);
};

/** A run in which some members have random values. */
const oddRun = fc
  .tuple(fc.subarray(Object.keys(aRun())), fc.dictionary(fc.string(), fc.jsonValue()))
  .map(([kept, odd]) => ({
    ...Object.fromEntries(Object.entries(aRun()).filter(([key]) => kept.includes(key))),
    ...odd,
  }));
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  oddRun.map((run) => JSON.stringify(run)),
  oddRun.map((run) => JSON.stringify({ runs: [run], page_info: run })),
);
const status = fc.oneof(fc.constant(200), fc.integer({ min: 200, max: 599 }));
const header = fc.oneof(fc.constant('application/json'), fc.stringMatching(/^[ -~]{0,30}$/));

describe('any response of a service', () => {
  it('gives data or a typed error, and the next call works', async () => {
    let next: { status: number; type: string; body: string } | undefined;
    const api = await startApiServer((response) => {
      if (!next) return response.end(JSON.stringify(aRun()));
      const headers = { 'content-type': next.type, 'retry-after': next.type };
      return response.writeHead(next.status, headers).end(next.body);
    });
    const client = api.client({ maxRetries: 0 });
    const calls = [
      () => client.runs.get('r').then(),
      () => client.runs.list().then(),
      () => client.runs.cancel('r').then(),
      () => client.environments.list().then(),
      () => client.post('/x', { body: {} }).then(),
    ];
    await fc.assert(
      fc.asyncProperty(
        status,
        header,
        body,
        fc.nat(calls.length - 1),
        async (code, type, text, at) => {
          next = { status: code, type, body: text };
          await calls[at]?.().catch(isTyped);
          next = undefined;
          expect(await client.runs.get('r')).toMatchObject({ run_id: 'run-1' });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives a typed error if it is not HTTP', async () => {
    let next: Uint8Array = new Uint8Array();
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(next));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve(undefined))));
    const { port } = server.address() as AddressInfo;
    const client = testClient(`http://127.0.0.1:${port}/api/v1`, { maxRetries: 0 });
    const start = fc.constantFrom(
      '',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
    );
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 300 }), async (head, rest) => {
        next = Buffer.concat([Buffer.from(head), rest]);
        await client.runs.get('r').catch(isTyped);
      }),
      { numRuns: 60 },
    );
  });
});
