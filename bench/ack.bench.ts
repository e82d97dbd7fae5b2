/**
 * Compares how fast the bot acknowledges `/agent` and a submitted form with a bare Bolt app that only acknowledges. Signed
 * requests over HTTP, in bursts over 20 connections, in turns. After each burst the bot finishes the work that it
 * accepted, and the benchmark counts it. `npm run bench -- ack [rounds] [delivery] [--cpu-prof]`.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { createLogger } from 'base/logger';
import { Pool } from 'undici';
import { freePort } from '../packages/base/test/support/free-port.ts';
import { testKeys } from '../packages/base/test/support/test-key.ts';
import { createBot } from '../src/bot/bot.ts';
import { unlimitedBudget } from '../test/support/posting/unlimited-budget.ts';
import { type Kind, kinds, signedDelivery, signingSecret } from './ack-deliveries.ts';
import { serveWorld, type WorldCounts } from './ack-world.ts';

const connections = 20;
const burst = 300;
/** V8 needs a few thousand calls to optimize code. */
const warmUps = 12;
const quietMs = 700;
const contenders = ['bare', 'ours'] as const;
type Contender = (typeof contenders)[number];
/** Times of each acknowledgement and of the whole burst. */
type Measured = { tookMs: number[]; burstMs: number };

const print = (line: string) => process.stdout.write(`${line}\n`);
const sleepMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0;

async function serveBare(): Promise<number> {
  const port = await freePort();
  const receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR });
  const authorize = async () => ({ botToken: 'xoxb-bench' });
  const app = new App({ receiver, authorize, logLevel: LogLevel.ERROR });
  app.command('/agent', ({ ack }) => ack());
  app.view('start-run:submit', ({ ack }) => ack());
  await receiver.start({ port, host: '127.0.0.1' });
  return port;
}

/** The whole bot, without Slack's rate limits: with them, the work of one burst would take an hour. */
async function serveOurs(world: string, folder: string): Promise<number> {
  const port = await freePort();
  const delivery = { mode: 'http', signingSecret, host: '127.0.0.1', port } as const;
  const bot = createBot(
    {
      slack: { botToken: 'xoxb-bench', apiUrl: `${world}/api/`, delivery },
      health: undefined,
      runsApi: { baseUrl: `${world}/api/v1`, apiKey: 'key' },
      databaseUrl: `sqlite:${join(folder, 'bot.db')}`,
      encryptionKeys: testKeys,
      logLevel: 'error',
    },
    createLogger('error'),
    { budget: unlimitedBudget },
  );
  await bot.start();
  return port;
}

let sent = 0;

async function measure(pool: Pool, kind: Kind): Promise<Measured> {
  const deliveries = Array.from({ length: burst }, () => {
    sent += 1;
    return signedDelivery(kind, sent);
  });
  const tookMs: number[] = [];
  const worker = async () => {
    for (let next = deliveries.pop(); next; next = deliveries.pop()) {
      const begin = performance.now();
      const answer = await pool.request({ path: '/slack/events', method: 'POST', ...next });
      const text = await answer.body.text();
      tookMs.push(performance.now() - begin);
      if (answer.statusCode !== 200 || text) throw new Error(`${answer.statusCode} ${text}`);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  return { tookMs, burstMs: performance.now() - begin };
}

function start(execArgv: string[], ...args: string[]) {
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv });
  const next = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const ended = () => reject(new Error(`${args[0]} exited`));
      child.once('exit', ended);
      child.once('message', (message: Message) => {
        child.off('exit', ended);
        resolve(message);
      });
    });
  return { child, next };
}

async function compare(rounds: number, profiles: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
  const children: ChildProcess[] = [];
  const begin = (execArgv: string[], ...args: string[]) => {
    const started = start(execArgv, ...args);
    children.push(started.child);
    return started;
  };
  try {
    const world = begin([], 'world');
    const origin = await world.next<string>();
    const counts = () => {
      world.child.send('counts');
      return world.next<WorldCounts>();
    };
    const poolOf = async (contender: Contender) => {
      const execArgv = contender === 'ours' ? profiles : [];
      const port = await begin(execArgv, contender, origin, folder).next<number>();
      return new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
    };
    const pools = { bare: await poolOf('bare'), ours: await poolOf('ours') };
    const wanted = kinds.filter((kind) => process.argv.includes(kind));
    for (const kind of wanted.length > 0 ? wanted : kinds)
      await compareKind(kind, { rounds, pools, counts });
    await Promise.all(Object.values(pools).map((pool) => pool.close()));
  } finally {
    for (const child of children) child.disconnect();
    await sleepMs(500);
    rmSync(folder, { recursive: true, force: true });
  }
}

type Bench = {
  rounds: number;
  pools: Record<Contender, Pool>;
  counts(): Promise<WorldCounts>;
};

/** Counts the bot's Slack calls for each acknowledged delivery. */
const workOf: Record<Kind, { calls: number; words: string }> = {
  '/agent': { calls: 1, words: 'modals opened' },
  '/agent run': { calls: 2, words: 'run messages and end replies posted' },
  submission: { calls: 1, words: 'run messages posted' },
};

const callsIn = ({ modals, posts }: WorldCounts) => modals + posts;

/** Returns true while accepted work isn't finished, or messages are still being updated. */
const isAtWork = (counts: WorldCounts, expected: number) =>
  callsIn(counts) < expected || counts.quietForMs < quietMs;

async function compareKind(kind: Kind, { rounds, pools, counts }: Bench): Promise<void> {
  const all: Record<Contender, Measured[]> = { bare: [], ours: [] };
  const behindMs: number[] = [];
  let expected = callsIn(await counts());
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const contender of contenders) {
      const measured = await measure(pools[contender], kind);
      const waited = performance.now();
      if (contender === 'ours') expected += burst * workOf[kind].calls;
      for (let now = await counts(); isAtWork(now, expected); now = await counts()) {
        if (performance.now() - waited > 60_000) throw new Error("The bot didn't finish its work");
        await sleepMs(50);
      }
      if (round < warmUps) continue;
      all[contender].push(measured);
      if (contender === 'ours') behindMs.push(performance.now() - waited - quietMs);
    }
  }
  report(kind, all, rounds);
  const { calls, words } = workOf[kind];
  print(
    `  ${calls * burst} ${words} for every ${burst} deliveries; finished ${quantile(behindMs, 0.5).toFixed(0)} ms after a burst (median)`,
  );
}

function report(kind: Kind, all: Record<Contender, Measured[]>, rounds: number): void {
  const perRound = (contender: Contender, read: (measured: Measured) => number) =>
    all[contender].map(read);
  const figures = [
    { name: 'requests/s', read: ({ burstMs }: Measured) => (burst / burstMs) * 1_000 },
    { name: 'p50 ms', read: ({ tookMs }: Measured) => quantile(tookMs, 0.5) },
    { name: 'p99 ms', read: ({ tookMs }: Measured) => quantile(tookMs, 0.99) },
  ];
  print(`${kind}: medians of ${rounds} rounds, ratio: median (lowest – highest) of the rounds`);
  for (const { name, read } of figures) {
    const [bare, ours] = [perRound('bare', read), perRound('ours', read)];
    const ratios = ours.map((value, index) => value / (bare[index] ?? Number.NaN));
    const range = `${quantile(ratios, 0).toFixed(2)} – ${quantile(ratios, 1).toFixed(2)}`;
    const [one, other] = [quantile(bare, 0.5).toFixed(1), quantile(ours, 0.5).toFixed(1)];
    print(
      `  ${name.padEnd(11)} bare ${one.padStart(8)}  ours ${other.padStart(8)}  ratio ${quantile(ratios, 0.5).toFixed(2)} (${range})`,
    );
  }
}

const [role = '', world = '', folder = ''] = process.argv.slice(2);
if (process.send) {
  // Exit normally, so that --cpu-prof writes its file.
  process.once('disconnect', () => process.exit());
  if (role === 'world') serveWorld();
  else process.send(await (role === 'bare' ? serveBare() : serveOurs(world, folder)));
} else {
  const profiles = process.argv.includes('--cpu-prof')
    ? ['--cpu-prof', '--cpu-prof-dir=.tmp/profiles']
    : [];
  print('Goal: p99 at most 100 ms');
  await compare(Number(role) || 7, profiles);
}
