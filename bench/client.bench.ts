/**
 * Compares this client, the public SDK, bare undici and fetch against one local server. Each contender runs in its own
 * process, in turns, so that load on the machine affects all of them. Read the ratios.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import OzAPI from 'oz-agent-sdk';
import { createRunsClient } from 'runs-client';
import { Pool } from 'undici';

const concurrency = 32;
const rounds = 7;
const counts = { get: 4_000, list: 300, create: 4_000 };
type Call = keyof typeof counts;
const contenders = ['undici', 'ours', 'fetch', 'sdk'] as const;
type Contender = (typeof contenders)[number];
type Result = { perSecond: number; cpuUs: number; heapBytes: number };

const aRun = (id: string) => ({
  run_id: id,
  task_id: id,
  title: 'Fix the flaky login test',
  prompt: 'The login test fails about one time in ten. Find out why and fix it. '.repeat(4),
  state: 'INPROGRESS',
  created_at: '2026-11-21T00:00:00.000Z',
  updated_at: '2026-11-21T00:01:00.000Z',
  agent_config: { name: 'fix', model_id: 'model-1', environment_id: 'env-1' },
  creator: { type: 'user', uid: 'user-1', display_name: 'Robin' },
  source: 'SLACK',
  metadata: { request_id: 'c0ffee' },
});

function serve(): void {
  const one = JSON.stringify(aRun('run-1'));
  const runs = Array.from({ length: 100 }, (_, index) => aRun(`run-${index}`));
  const list = JSON.stringify({ runs, page_info: { has_next_page: false } });
  const created = JSON.stringify({ run_id: 'run-1', state: 'QUEUED', task_id: 'run-1' });
  const server = createServer((request, response) => {
    const body = request.method === 'POST' ? created : request.url?.includes('runs/') ? one : list;
    const answer = () =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    if (request.method === 'POST') request.resume().on('end', answer);
    else answer();
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

type Calls = Record<Call, () => Promise<unknown>>;

const request = { prompt: 'Fix it', title: 'Fix', config: { environment_id: 'env-1' } };

function prepare(contender: Contender, origin: string): Calls {
  const baseUrl = `${origin}/api/v1`;
  if (contender === 'ours') {
    const client = createRunsClient({ baseUrl, apiKey: 'key' });
    return {
      get: () => client.runs.get('run-1').then(),
      list: () => client.runs.list({ limit: 100 }).then(),
      create: () => client.runs.create(request).then(),
    };
  }
  if (contender === 'sdk') {
    const client = new OzAPI({ baseURL: baseUrl, apiKey: 'key' });
    return {
      get: () => client.agent.runs.retrieve('run-1'),
      list: () => client.agent.runs.list({ limit: 100 }),
      create: () => client.agent.run(request),
    };
  }
  const headers = { authorization: 'Bearer key', accept: 'application/json' };
  const bodyOf = { ...headers, 'content-type': 'application/json' };
  const pool = new Pool(origin, { connections: 64 });
  const read = async (path: string, body?: string) => {
    if (contender === 'fetch') {
      const url = origin + path;
      const sent = body === undefined ? { headers } : { method: 'POST', body, headers: bodyOf };
      return (await fetch(url, sent)).json();
    }
    const reply = await pool.request(
      body === undefined
        ? { path, method: 'GET', headers }
        : { path, method: 'POST', body, headers: bodyOf },
    );
    return reply.body.json();
  };
  return {
    get: () => read('/api/v1/agent/runs/run-1'),
    list: () => read('/api/v1/agent/runs?limit=100'),
    create: () => read('/api/v1/agent/run', JSON.stringify(request)),
  };
}

async function repeat(call: () => Promise<unknown>, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function measure(call: () => Promise<unknown>, count: number): Promise<Result> {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await repeat(call, count);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const heapBytes = process.memoryUsage().heapUsed;
  return { perSecond: count / seconds, cpuUs: (user + system) / count, heapBytes };
}

function contend(contender: Contender, origin: string): void {
  const calls = prepare(contender, origin);
  process.on('message', async ({ call, count }: { call: Call; count: number }) => {
    process.send?.(await measure(calls[call], count));
  });
  process.send?.('ready');
}

function start(...args: string[]) {
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ['--expose-gc'] });
  const next = <Message>() =>
    new Promise<Message>((resolve) =>
      child.once('message', (message: Message) => resolve(message)),
    );
  return { child, next };
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function main(): Promise<void> {
  const server = start('server');
  const port = await server.next<number>();
  const running = new Map<Contender, ReturnType<typeof start>>();
  for (const contender of contenders) {
    const each = start(contender, `http://127.0.0.1:${port}`);
    await each.next();
    running.set(contender, each);
  }
  const ask = async (contender: Contender, call: Call, count: number): Promise<Result> => {
    const each = running.get(contender);
    if (!each) throw new Error('not started');
    const result = each.next<Result>();
    each.child.send({ call, count });
    return result;
  };
  print('| call | who | requests/s | times the SDK | CPU per request | times undici |');
  print('| --- | --- | --: | --: | --: | --: |');
  for (const call of ['get', 'list', 'create'] as const) {
    const results: Record<Contender, Result[]> = { undici: [], ours: [], fetch: [], sdk: [] };
    for (const contender of contenders) await ask(contender, call, counts[call]);
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of contenders) {
        results[contender].push(await ask(contender, call, counts[call]));
      }
    }
    const of = (contender: Contender, key: keyof Result) =>
      median(results[contender].map((each) => each[key]));
    for (const contender of contenders) {
      const [perSecond, cpuUs] = [of(contender, 'perSecond'), of(contender, 'cpuUs')];
      const speed = (perSecond / of('sdk', 'perSecond')).toFixed(1);
      const cost = (cpuUs / of('undici', 'cpuUs')).toFixed(2);
      print(
        `| ${call} | ${contender} | ${perSecond.toFixed(0)} | ${speed} | ${cpuUs.toFixed(0)} us | ${cost} |`,
      );
    }
  }
  const before = (await ask('ours', 'get', 10_000)).heapBytes;
  const after = (await ask('ours', 'get', 100_000)).heapBytes;
  print(
    `Memory over 100,000 requests: ${((after - before) / 1024).toFixed(0)} KiB more than ${(before / 1024 / 1024).toFixed(1)} MiB of heap.`,
  );
  for (const { child } of [server, ...running.values()]) child.kill();
}

const [role, origin = ''] = process.argv.slice(2);
if (role === 'server') serve();
else if (role === undefined) await main();
else contend(contenders.find((each) => each === role) ?? 'ours', origin);
