import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { keyHash } from '../../../src/api/keys/keyring.ts';
import { modelTokenOf } from '../../../src/remote/model-token.ts';
import { workSchema } from '../../../src/remote/protocol.ts';
import { createStores } from '../../../src/store/stores.ts';
import { messageBody } from '../../gateway/gateway-bed.ts';
import { testKey } from '../../support/runs-service.ts';
import { operatorKey, startModelProvider } from '../../support/service/model-provider.ts';
import { twoRuns } from './two-runs.ts';

/** Starts two remote runs with models. The test plays their processes and agents. */
async function twoRunsWithModels() {
  const provider = await startModelProvider();
  const runs = await twoRuns({}, provider.settings);
  const [one = '', two = ''] = runs.ids;
  const start = async (id: string) =>
    workSchema.parse(await (await runs.call(id, '/start')).json()).model_token ?? '';
  const callModel = async (
    token: string | undefined,
    path = '/anthropic/v1/messages',
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${runs.service.url}/models${path}`, {
      method: 'POST',
      body: messageBody,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ...runs, one, two, provider, start, callModel, stores: createStores(runs.db) };
}

describe("the model gateway at the service's address", () => {
  it('answers the agent of a remote run, and counts its calls', async () => {
    const { one, start, callModel, provider, stores } = await twoRunsWithModels();
    const answer = await callModel(await start(one));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('message_stop')]);
    expect(answer.text).not.toContain(operatorKey);
    expect(provider.keys()).toEqual([operatorKey]);
    await expect.poll(() => stores.modelCalls.ofRun(one)).toMatchObject([{ outcome: 'completed' }]);
  });

  it('accepts only the token of an attempt that a process executes', async () => {
    const { one, two, start, call, callModel, tokenOf, until, provider } =
      await twoRunsWithModels();
    const early = modelTokenOf(tokenOf(one));
    expect((await callModel(early)).status).toBe(401);
    const token = await start(one);
    expect(token).toBe(early);
    for (const other of [undefined, 'x', testKey, tokenOf(one), modelTokenOf(tokenOf(two))])
      expect((await callModel(other)).status).toBe(401);
    expect((await callModel(token, undefined, { 'x-api-key': testKey })).status).toBe(401);
    expect(provider.keys()).toEqual([]);
    expect((await callModel(token)).status).toBe(200);
    const end = JSON.stringify({ end: { state: 'SUCCEEDED' }, output_bytes: 0 });
    await call(one, '/end', { body: end });
    await until(one, 'SUCCEEDED');
    const late = await callModel(token);
    expect([late.status, JSON.parse(late.text)]).toMatchObject([
      401,
      { type: 'error', error: { type: 'authentication_error' } },
    ]);
  });

  it('rejects the token of an attempt before the current one', async () => {
    const { one, start, callModel, stores } = await twoRunsWithModels();
    const first = await start(one);
    expect((await callModel(first)).status).toBe(200);
    const [tokenHash, second] = [keyHash('second'), modelTokenOf('second')];
    const modelTokenHash = keyHash(second);
    const attempt = { token: 'second', tokenHash, modelTokenHash, isStopped: true };
    await stores.dispatches.begin(one, 2, attempt);
    for (const token of [first, second]) expect((await callModel(token)).status).toBe(401);
    await stores.dispatches.claim(one, tokenHash, 'another-worker');
    expect((await callModel(first)).status).toBe(401);
    expect((await callModel(second)).status).toBe(200);
  });

  it("opens nothing else with a run's token, and leads nowhere else", async () => {
    const { one, start, call, callModel, request } = await twoRunsWithModels();
    const token = await start(one);
    const asKey = { headers: { authorization: `Bearer ${token}` } };
    expect((await request('/agent/runs', asKey)).status).toBe(401);
    expect((await call(one, '/report', { token, body: '{}' })).status).toBe(401);
    for (const path of ['/openai/v1/responses', '/anthropic/v1/files', '/anthropic/%2e%2e/x', '/x'])
      expect((await callModel(token, path)).status).toBe(404);
  });

  it('slows down guesses of one address, but never the right token', async () => {
    const { one, start, callModel } = await twoRunsWithModels();
    const token = await start(one);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1)
      statuses.push((await callModel(`sam_${String(guess).padEnd(43, 'x')}`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    const { status, headers } = await callModel('another');
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await callModel(token)).status).toBe(200);
  });

  it('closes a connection with many requests before the first response', async () => {
    const { one, service, start } = await twoRunsWithModels();
    const token = await start(one);
    const { port } = new URL(service.url);
    for (const sent of [token, `sam_${'x'.repeat(43)}`]) {
      const socket = connect(Number(port), '127.0.0.1');
      const closed = new Promise((done) => socket.on('error', done).on('close', done));
      socket
        .resume()
        .write(
          `POST /models/anthropic/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${sent}\r\ncontent-length: 0\r\n\r\n`.repeat(
            1_000,
          ),
        );
      await closed;
    }
  });
});
