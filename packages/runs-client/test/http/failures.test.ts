import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RunsApiError } from '../../src/runs-api-error.ts';
import { aRun, sendJson, startApiServer, testClient, testKey } from '../support/api-server.ts';

async function failureOf(call: PromiseLike<unknown>): Promise<RunsApiError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RunsApiError) return error;
  throw new Error('did not fail with a RunsApiError', { cause: error });
}

describe('a rejection', () => {
  it.each([
    [301, 'bad_response', false],
    [400, 'bad_request', false],
    [401, 'unauthorized', false],
    [402, 'budget_exceeded', false],
    [403, 'forbidden', false],
    [404, 'not_found', false],
    [405, 'client_error', false],
    [408, 'client_error', true],
    [409, 'conflict', true],
    [418, 'client_error', false],
    [422, 'unprocessable', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [501, 'server_error', false],
    [502, 'server_error', true],
    [503, 'server_error', true],
  ])('with %i is %s', async (status, code, retryable) => {
    const api = await startApiServer((response) => sendJson(response, status, { title: 'why' }));
    const error = await failureOf(api.client({ maxRetries: 0 }).runs.get('r'));
    expect(error).toMatchObject({ code, status, retryable, sent: true });
    expect(error.message).toContain(`GET /agent/runs/r failed with ${status}: why`);
  });

  it('contains all problem details', async () => {
    const problem = {
      error: 'x',
      detail: 'Connect GitHub.',
      auth_url: 'https://auth',
      trace_id: 't-1',
    };
    const headers = { 'retry-after': '7' };
    const api = await startApiServer((response) => sendJson(response, 403, problem, headers));
    const error = await failureOf(api.client().runs.get('r'));
    expect(error).toMatchObject({
      problem,
      authUrl: 'https://auth',
      requestId: 't-1',
      retryAfterMs: 7_000,
    });
  });

  it('is not retried if the service says that it would fail again', async () => {
    const api = await startApiServer((response) => sendJson(response, 503, { retryable: false }));
    const error = await failureOf(api.client().runs.get('r'));
    expect(error.retryable).toBe(false);
    expect(api.received).toHaveLength(1);
  });

  it('keeps the key and the prompt out of the error', async () => {
    const api = await startApiServer((response, { body, headers }) =>
      sendJson(response, 400, {
        detail: `bad: ${JSON.stringify(body)} by ${headers.authorization}`,
      }),
    );
    const create = api.client().runs.create({ prompt: 'launch the secret product' });
    const error = await failureOf(create);
    const everything = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.problem)}`;
    expect(everything).toContain('bad: ');
    expect(everything).not.toMatch(new RegExp(`secret product|${testKey}`));
  });

  it('keeps the base prompt and the secrets of MCP servers out of the error, but names ids', async () => {
    const api = await startApiServer((response, { body }) =>
      sendJson(response, 422, { detail: `cannot be: ${JSON.stringify(body)}` }),
    );
    const mcp_servers = {
      github: { url: 'https://mcp', headers: { authorization: 'token-of-github' } },
    };
    const config = { environment_id: 'production', base_prompt: 'Be "discreet".', mcp_servers };
    const error = await failureOf(api.client().runs.create({ prompt: 'x', config }));
    expect(error.message).toContain('production');
    expect(`${error.stack}${JSON.stringify(error.problem)}`).not.toMatch(
      /token-of-github|discreet/,
    );
  });

  it('ignores an authorization link that is not a web link', async () => {
    const auth_url = 'javascript:alert(1)';
    const api = await startApiServer((response) => sendJson(response, 403, { auth_url, title: 7 }));
    expect((await failureOf(api.client().runs.get('r'))).authUrl).toBeUndefined();
  });

  it.each([
    ['HTML', '<html>Bad gateway</html>', 'text/html instead of problem details'],
    ['nothing', '', 'an empty body'],
  ])('with %s is still a typed error', async (_, body, message) => {
    const api = await startApiServer((response) =>
      response.writeHead(502, { 'content-type': 'text/html; charset=utf-8' }).end(body),
    );
    const error = await failureOf(api.client({ maxRetries: 0 }).runs.get('r'));
    expect(error).toMatchObject({ code: 'server_error', status: 502, problem: undefined });
    expect(error.message).toContain(message);
  });
});

describe('a success that breaks the contract', () => {
  const { state: _state, ...stateless } = aRun();
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  it.each([
    ['HTML', '<!doctype html><p>Sign in', 'with HTML instead of JSON'],
    ['an empty body', '', 'with an empty body'],
    ['a text', 'OK', 'with text instead of JSON'],
    ['cut JSON', '{"run_id":"r","prom', 'broken or truncated JSON'],
    ['no object', '[]', 'match the contract'],
    ['a missing member', JSON.stringify(stateless), 'match the contract'],
    ['an error', '{"error":"database is down"}', 'it says: database is down'],
    ['10,000 levels', `{"x":${deep}}`, 'nested too deeply'],
    ['5 MB', `"${'x'.repeat(5_000_000)}"`, 'more than 4194304 bytes'],
  ])('is a bad_response: %s', async (_, body, message) => {
    const api = await startApiServer((response) => response.end(body));
    const error = await failureOf(api.client().runs.get('r'));
    expect(error).toMatchObject({ code: 'bad_response', status: 200, retryable: false });
    expect(error.message).toContain(message);
  });

  it('is rejected at the size limit even without a content length', async () => {
    const api = await startApiServer((response) => {
      response.write('[');
      response.end(' '.repeat(2_000));
    });
    const error = await failureOf(api.client({ maxReplyBytes: 1_000 }).runs.get('r'));
    expect(error).toMatchObject({ code: 'bad_response' });
  });

  it('names the path of the wrong field in a list', async () => {
    const answer = { runs: [aRun(), stateless], page_info: { has_next_page: false } };
    const api = await startApiServer((response) => sendJson(response, 200, answer));
    expect((await failureOf(api.client().runs.list())).message).toContain('runs.1.state');
  });

  it.each([
    ['an error', '{"error":"cannot cancel"}'],
    ['HTML', '<html>'],
  ])('is no acknowledgement of a cancel: %s', async (_, body) => {
    const api = await startApiServer((response) => response.end(body));
    expect(await failureOf(api.client().runs.cancel('r'))).toMatchObject({ code: 'bad_response' });
  });

  it.each([
    ['a text', '"r"'],
    ['plain text', 'r'],
    ['nothing', ''],
    ['an object', '{"run_id":"r"}'],
  ])('but a cancel may be acknowledged by %s', async (_, body) => {
    const api = await startApiServer((response) => response.end(body));
    expect(await api.client().runs.cancel('r')).toEqual({ run_id: 'r' });
  });
});

describe('a tolerant reader', () => {
  it('keeps unknown members and states, and treats null or odd optional members as absent', async () => {
    const odd = {
      ...aRun({ state: 'THINKING' }),
      mood: 'good',
      session_link: null,
      artifacts: 'none',
      task_id: 7,
    };
    const api = await startApiServer((response) => sendJson(response, 200, odd));
    const run = await api.client().runs.get('r');
    expect(run).toMatchObject({ state: 'THINKING', mood: 'good', session_link: null });
    expect([run.artifacts, run.task_id]).toEqual([undefined, undefined]);
  });

  it('reads a byte order mark', async () => {
    const api = await startApiServer((response) => response.end(`\ufeff${JSON.stringify(aRun())}`));
    expect(await api.client().runs.get('r')).toMatchObject({ run_id: 'run-1' });
  });

  it('is not poisoned by a prototype in the JSON', async () => {
    const body = JSON.stringify(aRun()).replace('{', '{"__proto__":{"polluted":true},');
    const api = await startApiServer((response) => response.end(body));
    const run = await api.client().runs.get('r');
    expect('polluted' in run).toBe(false);
    expect('polluted' in {}).toBe(false);
  });
});

describe('an unreachable service', () => {
  it('is a connection failure with proof that nothing was sent', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const client = testClient(`http://127.0.0.1:${port}/api/v1`, { maxRetries: 0 });
    const error = await failureOf(client.runs.get('r'));
    expect(error).toMatchObject({ code: 'connection', sent: false, retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('is a connection failure when it hangs up', async () => {
    const api = await startApiServer((response) => response.destroy());
    const error = await failureOf(api.client({ maxRetries: 0 }).runs.get('r'));
    expect(error).toMatchObject({ code: 'connection', sent: true });
  });

  it('is a connection failure when it hangs up in the middle of a body', async () => {
    const api = await startApiServer((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"run_id"');
      setImmediate(() => response.destroy());
    });
    const error = await failureOf(api.client({ maxRetries: 0 }).runs.get('r'));
    expect(error).toMatchObject({ code: 'connection', sent: true });
  });
});

/** Parse the ID from JSON to get `undefined` past the types, as a JavaScript program could. */
const missing: string = JSON.parse('{}').run_id;

describe('an invalid call', () => {
  it.each([
    ['an empty run id', (c: Client) => c.runs.get('')],
    ['a run id that climbs', (c: Client) => c.runs.cancel('..')],
    ['no run id', (c: Client) => c.runs.get(missing)],
    ['no run id to wait for', (c: Client) => c.runs.wait(missing)],
    ['no run id to revoke', (c: Client) => c.runs.revokeSessionLink(JSON.parse('null'))],
    ['no artifact id', (c: Client) => c.artifacts.get(missing)],
    ['an empty prompt', (c: Client) => c.runs.create({ prompt: '' })],
    [
      'too long a metadata value',
      (c: Client) => c.runs.create({ prompt: 'x', metadata: { a: 'x'.repeat(257) } }),
    ],
    ['a header with a line break', (c: Client) => c.get('/x', { headers: { a: 'b\nc: d' } })],
    ['a path without its slash', (c: Client) => c.get('@evil.example/x')],
    ['a path with a line break', (c: Client) => c.get('/x\ny')],
  ])('is rejected before anything is sent: %s', async (_, call) => {
    const api = await startApiServer((response) => sendJson(response, 200, {}));
    const error = await failureOf(call(api.client()));
    expect(error).toMatchObject({ code: 'invalid_request', sent: false });
    expect(api.received).toEqual([]);
  });

  it('fails with "closed" after the client was closed', async () => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const client = api.client();
    await client.close();
    await client.close();
    expect(await failureOf(client.runs.get('r'))).toMatchObject({ code: 'closed' });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('vault is sealed')), 'failed'],
    ['gives no key', () => '', 'returned no usable key'],
  ])('says so when the key function %s', async (_, apiKey, message) => {
    const api = await startApiServer((response) => sendJson(response, 200, aRun()));
    const error = await failureOf(api.client({ apiKey }).runs.get('r'));
    expect(error).toMatchObject({ code: 'unauthorized', sent: false });
    expect(error.message).toContain(message);
    expect(api.received).toEqual([]);
  });
});

type Client = ReturnType<typeof testClient>;

describe('what keeps every call from working is named', () => {
  it.each([
    ['/api', /^((?!base URL has no version).)*$/, 200],
    ['/api', /base URL has no version segment; it ends in \/api\/v1/, 404],
    ['/', /base URL has no version segment/, 404],
    ['/api/v1', /^((?!version segment).)*$/, 404],
  ])('by a base URL with the path %j: %s', async (path, says, status) => {
    const api = await startApiServer((response) => sendJson(response, status, { runs: 1 }));
    const client = testClient(new URL(path, api.baseUrl).href, { maxRetries: 0 });
    await expect(client.runs.list()).rejects.toMatchObject({
      message: expect.stringMatching(says),
    });
  });

  it("by a runtime with another undici, such as Bun's", async () => {
    const client = testClient('http://127.0.0.1:1/api/v1', { dispatcher: JSON.parse('{}') });
    await expect(client.runs.get('r')).rejects.toMatchObject({
      code: 'invalid_request',
      retryable: false,
      sent: false,
      message: expect.stringContaining('needs Node.js'),
    });
  });
});
