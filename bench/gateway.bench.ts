/**
 * Measures the model gateway: `npm run bench -- gateway`. 50 streams at once, whose calls send 90 KB, directly
 * from a scripted provider and through the gateway. All three are separate processes, and the two ways take turns.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { sleep } from 'base/sleep';
import { createModelGateway } from 'runs-service/gateway/create-model-gateway';
import { listenForRun } from 'runs-service/gateway/listen-for-run';
import { createToken, hashToken } from 'runs-service/gateway/tokens';
import { createModelCalls } from 'runs-service/store/model-calls';
import {
  createSqliteDatabase,
  openTestDatabase,
} from '../packages/runs-service/test/support/databases.ts';
import {
  anActiveRun,
  callOwner,
} from '../packages/runs-service/test/support/service/model-call-builder.ts';

const streams = 50;
/** A run has at most 16 calls at once, so four runs share the streams. */
const runs = 4;
const streamMs = 2_000;
/** Calls of each stream in a row, one after the other. The first one opens connections and compiles code. */
const callsEach = 3;
const rounds = 3;
const print = (line: string) => process.stdout.write(`${line}\n`);
const tell = (message: unknown) => void process.send?.(message);

const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const begin = event({
  ...{ type: 'message_start' },
  ...{ message: { model: 'claude-opus-5-5', usage: { input_tokens: 20_000, output_tokens: 1 } } },
});
const piece = event({
  ...{ type: 'content_block_delta' },
  ...{ index: 0, delta: { type: 'text_delta', text: 'some words of an answer ' } },
});
const end = event({ ...{ type: 'message_delta' }, ...{ usage: { output_tokens: 50 } } });

/** Sends the first event at once, then an event every 100 ms for two seconds. */
async function provide(): Promise<void> {
  const server = createServer(async (incoming, response) => {
    for await (const _ of incoming);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begin);
    for (let sent = 0; sent < streamMs / 100; sent += 1) {
      await sleep(100);
      response.write(piece);
    }
    response.end(end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  tell({ ports: [(server.address() as AddressInfo).port] });
}

async function offerGateway(port: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const db = await openTestDatabase(await createSqliteDatabase(folder));
  const gateway = createModelGateway({
    calls: createModelCalls(db),
    owner: callOwner,
    hold: async () => ({ outcome: 'gone' }),
    onEnded: () => undefined,
    logger: createLogger('error'),
  });
  gateway.start(undefined);
  const ports: number[] = [];
  const token = createToken();
  for (let run = 0; run < runs; run += 1) {
    const runId = await anActiveRun(db);
    const handler = gateway.handlerFor({
      runId,
      environmentId: 'demo',
      tokenHash: hashToken(token),
      providers: [
        {
          name: 'anthropic',
          api: 'anthropic',
          base_url: `http://127.0.0.1:${port}`,
          allow_private: true,
        },
      ],
      models: undefined,
      caps: [],
      spendKeys: [`run:${runId}`, 'environment:demo', 'person:ada'],
      labels: { workspace: undefined, person: 'ada', channel: undefined },
      headersWithinMs: 1_200_000,
      clock: { pause: () => undefined, resume: () => undefined },
      note: () => undefined,
      onStopped: () => undefined,
      signal: new AbortController().signal,
    });
    const { address } = await listenForRun(handler, 'port');
    if ('port' in address) ports.push(address.port);
  }
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    tell({ bytes: heapUsed + external });
  });
  tell({ ports, token });
}

type Started = { ports: number[]; token?: string };

async function start(...args: string[]): Promise<Started & { child: ChildProcess }> {
  const child = fork(process.argv[1] ?? '', args, { execArgv: ['--expose-gc'] });
  const [started] = (await once(child, 'message')) as [Started];
  return { ...started, child };
}

const tool = { name: 'tool', description: 'x'.repeat(6_000), input_schema: { type: 'object' } };
const body = JSON.stringify({
  ...{ model: 'claude-opus-5-5', max_tokens: 32_000, stream: true },
  tools: Array.from({ length: 12 }, () => tool),
  messages: [{ role: 'user', content: 'y'.repeat(16_000) }],
});

const agent = new Agent({ keepAlive: true });

/** Starts a call. Returns the time to its first byte in ms, and the open response. */
async function call(port: number, path: string, token: string) {
  const startedAt = performance.now();
  const headers = { 'x-api-key': token, 'content-type': 'application/json' };
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The call got status ${response.statusCode}.`);
  await once(response, 'data');
  return { firstByteMs: performance.now() - startedAt, response };
}

const at = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

async function measure(): Promise<void> {
  const provider = await start('provider');
  const gateway = await start('gateway', String(provider.ports[0]));
  const bytesInUse = async () => {
    gateway.child.send('memory');
    const [{ bytes }] = (await once(gateway.child, 'message')) as [{ bytes: number }];
    return bytes;
  };
  const ways = [
    { name: 'direct', ports: provider.ports, path: '/v1/messages', took: [] as number[] },
    { name: 'gateway', ports: gateway.ports, path: '/anthropic/v1/messages', took: [] as number[] },
  ];
  const perStream: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const { name, ports, path, took } of ways) {
      const before = await bytesInUse();
      const all = Array.from({ length: streams }, async (_, index) => {
        // Start the streams one after the other, as agents do.
        await sleep((index * streamMs) / streams);
        for (let number = 0; number < callsEach; number += 1) {
          const port = ports[index % ports.length] ?? 0;
          const { firstByteMs, response } = await call(port, path, gateway.token ?? '');
          if (number > 0) took.push(firstByteMs);
          await once(response.resume(), 'end');
        }
      });
      await sleep(1.5 * streamMs);
      if (name === 'gateway') perStream.push(((await bytesInUse()) - before) / streams);
      await Promise.all(all);
    }
  const [direct = [], through = []] = ways.map(({ took }) => took);
  const row = (name: string, share: number) => {
    const [less, more] = [at(direct, share), at(through, share)];
    print(
      `${name}: direct ${less.toFixed(1)} ms, gateway ${more.toFixed(1)} ms, added ${(more - less).toFixed(1)} ms, ${(more / less).toFixed(1)} times`,
    );
  };
  print(`Time to the first byte with ${streams} streams at once, ${direct.length} calls each way:`);
  row('p50', 0.5);
  row('p99', 0.99);
  print(`Memory of an open stream: ${(at(perStream, 0.5) / 1024).toFixed(0)} KiB`);
  agent.destroy();
  for (const { child } of [provider, gateway]) child.kill();
}

const [role, port = ''] = process.argv.slice(2);
if (role === 'provider') await provide();
else if (role === 'gateway') await offerGateway(port);
else await measure();
