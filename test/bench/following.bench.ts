/**
 * What following costs: requests by changes, the way from a change at the API to the update of its message, memory and
 * restart. The runs API is a stub in this process, the bot (store, client, follower) a process of its own; the peer asks
 * for every run in a loop with the public SDK, also in a process of its own.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OzAPI from 'oz-agent-sdk';
import { Follower } from '../../src/following/follower.ts';
import { quietLookDelayMs } from '../../src/following/progress.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createRunsClient } from '../../src/runs-api/runs-client.ts';
import { createConnections } from '../../src/store/connections.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createFollowedRunsStore } from '../../src/store/followed-runs.ts';
import { createNotices } from '../../src/store/notices.ts';
import { createRequestLeases } from '../../src/store/request-leases.ts';
import { firstRow } from '../../src/store/request-row.ts';
import { createRequests } from '../../src/store/requests.ts';
import { aRun, hourMs, runIdOf, startStub } from './changing-runs.ts';

const activeRuns = 10_000;
const manyRuns = 100_000;
const changesPerTick = activeRuns / 100;
const tickMs = 1_000;
const ticks = 20;

/** What the bot tells: which run's message it updates, when, and what memory it takes. */
type Told = { updated?: string; at?: number; rssBytes?: number };

const print = (line: string) => process.stdout.write(`${line}\n`);
const sleepMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** Requests that have been followed for up to two hours, with news every hundred seconds on average. */
async function fill(databaseUrl: string, count: number): Promise<void> {
  const db = await openDatabase(databaseUrl);
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, index) => {
    const ageMs = (index / count) * 2 * hourMs;
    // One that stays young keeps the interval between sweeps at a second.
    const acceptedAt = index === 0 ? now + hourMs : now - ageMs;
    const sinceNewsMs = Math.min(ageMs, -Math.log(1 - Math.random()) * 100_000);
    const lookAt = now + Math.max(0, Math.round(quietLookDelayMs(ageMs) - sinceNewsMs));
    const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', title: 'Mend', config: {} };
    const run = aRun(index, now - hourMs, 'begun');
    return {
      ...firstRow({ id: `request-${index}`, ...asked, prompt: run.prompt, acceptedAt }),
      step: 'following',
      message_channel_id: 'C1',
      message_ts: `${index}.000100`,
      run_id: run.run_id,
      run_state: run.state,
      run_json: JSON.stringify(run),
      shown: 'begun',
      look_at: lookAt,
      due_at: lookAt,
    };
  });
  for (let from = 0; from < rows.length; from += 500)
    await db
      .insertInto('requests')
      .values(rows.slice(from, from + 500))
      .execute();
  await db.destroy();
}

/** The bot without Slack: updates are told to the parent in the moment in which they would be sent. */
async function follow(databaseUrl: string, baseUrl: string): Promise<void> {
  const db = await openDatabase(databaseUrl);
  const { runs } = createRunsClient({ baseUrl, apiKey: 'key' });
  const logger = createLogger('error');
  const tell = (told: Told) => process.send?.(told);
  const follower = new Follower({
    requests: createRequests(db),
    leases: createRequestLeases(db),
    connections: createConnections(db),
    followed: createFollowedRunsStore(db),
    runs,
    messages: {
      render: ({ run }) => ({ runId: run?.run_id, note: run?.status_message?.message }),
      room: () => 0,
      post: async () => ({ outcome: 'refused', reason: 'none is expected' }),
      find: async () => ({ outcome: 'absent' }),
      update: async (place, message) => {
        tell({ updated: `${place.ts} ${JSON.stringify(message)}`, at: Date.now() });
        return { outcome: 'shown' };
      },
      findDoubles: async () => ({ outcome: 'found', places: [] }),
      remove: async () => ({ outcome: 'removed' }),
    },
    notices: {
      planEnd: async () => ({ outcome: 'planned', notices: [] }),
      post: async () => ({ outcome: 'refused', reason: 'none is expected' }),
      find: async () => ({ outcome: 'absent' }),
      findDoubles: async () => ({ outcome: 'found', places: [] }),
      mark: async () => undefined,
    },
    toTell: createNotices(db),
    logger,
  });
  process.on('message', () => {
    globalThis.gc?.();
    tell({ rssBytes: process.memoryUsage().rss });
  });
  follower.start();
}

const noteOf = (updated: string) => /"note":"([^"]*)"/.exec(updated)?.[1] ?? '';

function startChild(...args: string[]) {
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ['--expose-gc'] });
  const updates = new Map<string, number>();
  child.on('message', ({ updated, at }: Told) => {
    if (updated !== undefined && at !== undefined) updates.set(noteOf(updated), at);
  });
  const rssMiB = async () => {
    const answer = new Promise<number>((resolve) => {
      const hear = ({ rssBytes }: Told) => {
        if (rssBytes === undefined) return;
        child.off('message', hear);
        resolve(rssBytes / 1024 / 1024);
      };
      child.on('message', hear);
    });
    child.send('memory');
    return answer;
  };
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return { updates, rssMiB, stop };
}

async function until(condition: () => boolean, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the bot shows no change');
    await sleepMs(2);
  }
}

async function measureChanges(folder: string): Promise<void> {
  const stub = await startStub(activeRuns);
  const url = `sqlite:${join(folder, 'changes.db')}`;
  await fill(url, activeRuns);
  const bot = startChild('follow', url, stub.baseUrl);
  stub.change(0, 'warm');
  await until(() => bot.updates.has('warm'));
  await sleepMs(2_000);
  const before = { ...stub.counted };
  const changedAt = new Map<string, number>();
  const startedAt = performance.now();
  for (let number = 0; number < ticks * changesPerTick; number += 1) {
    const note = `change-${number}`;
    changedAt.set(note, stub.change(Math.floor(Math.random() * activeRuns), note));
    const dueMs = (number + 1) * (tickMs / changesPerTick) - (performance.now() - startedAt);
    if (dueMs > 1) await sleepMs(dueMs);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const lists = stub.counted.lists - before.lists;
  const gets = stub.counted.gets - before.gets;
  await sleepMs(4_000);
  await bot.stop();
  // A run that changes again before anybody looked shows only the newest.
  const lateness = [...changedAt]
    .flatMap(([note, at]) => (bot.updates.has(note) ? [(bot.updates.get(note) ?? 0) - at] : []))
    .sort((a, b) => a - b);
  const changes = changedAt.size;
  const allowed = (1.2 * changes) / 100 + seconds / (tickMs / 1_000);
  print(
    `${activeRuns} active runs, ${changesPerTick} changes a second, ${seconds.toFixed(0)} s, interval 1 s`,
  );
  print(
    '| requests | of them lists | single looks | per 100 changes | goal at most | per run and tick: a loop of GETs |',
  );
  print('| --: | --: | --: | --: | --: | --: |');
  print(
    `| ${lists + gets} | ${lists} | ${gets} | ${(((lists + gets) / changes) * 100).toFixed(2)} | ${((allowed / changes) * 100).toFixed(2)} | ${((activeRuns * seconds * 100) / changes).toFixed(0)} |`,
  );
  print('');
  print('| change at the API → update sent | ms |');
  print('| --- | --: |');
  for (const [name, part] of [
    ['median', 0.5],
    ['p90', 0.9],
    ['p99', 0.99],
    ['longest', 1],
  ] as const)
    print(`| ${name} | ${quantile(lateness, part)} |`);
  print(
    `${lateness.length} of ${changes} changes were shown; the others were followed by a newer one.`,
  );
  print('');
  stub.close();
}

async function measureMany(folder: string): Promise<void> {
  const stub = await startStub(manyRuns);
  const idleUrl = `sqlite:${join(folder, 'idle.db')}`;
  const idle = startChild('follow', idleUrl, stub.baseUrl);
  await sleepMs(5_000);
  const idleMiB = await idle.rssMiB();
  await idle.stop();
  const url = `sqlite:${join(folder, 'many.db')}`;
  await fill(url, manyRuns);
  let bot = startChild('follow', url, stub.baseUrl);
  stub.change(1, 'first');
  await until(() => bot.updates.has('first'));
  for (let number = 0; number < 2_000; number += 1) {
    stub.change(number * 7, `busy-${number}`);
    await sleepMs(5);
  }
  const manyMiB = await bot.rssMiB();
  await bot.stop();
  stub.change(2, 'while it was away');
  const startedAt = performance.now();
  bot = startChild('follow', url, stub.baseUrl);
  await until(() => bot.updates.has('while it was away'));
  const restartMs = performance.now() - startedAt;
  await bot.stop();
  print(`| ${manyRuns} followed runs | | goal |`);
  print('| --- | --: | --: |');
  print(
    `| memory more than an idle bot (${idleMiB.toFixed(0)} MiB) | ${(manyMiB - idleMiB).toFixed(0)} MiB | < 150 MB |`,
  );
  print(
    `| restart after kill −9 → what changed meanwhile is shown | ${restartMs.toFixed(0)} ms | < 5000 ms |`,
  );
  print('');
  stub.close();
}

/** One look at every run, 32 at a time. */
async function loopOfGets(baseUrl: string): Promise<void> {
  const client = new OzAPI({ baseURL: baseUrl, apiKey: 'key' });
  let next = 0;
  const worker = async () => {
    while (next < activeRuns) {
      const id = runIdOf(next);
      next += 1;
      await client.agent.runs.retrieve(id);
    }
  };
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: 32 }, worker));
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  print(
    `Peer, a loop of GETs with oz-agent-sdk: one tick over ${activeRuns} runs takes ${activeRuns} requests, ${seconds.toFixed(1)} s and ${((user + system) / 1e6).toFixed(1)} s of CPU.`,
  );
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-following-'));
  try {
    await measureChanges(folder);
    await measureMany(folder);
    const stub = await startStub(activeRuns);
    const peer = fork(fileURLToPath(import.meta.url), ['peer', '', stub.baseUrl]);
    await new Promise((resolve) => peer.once('exit', resolve));
    stub.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [role, databaseUrl = '', baseUrl = ''] = process.argv.slice(2);
if (role === 'follow') await follow(databaseUrl, baseUrl);
else if (role === 'peer') await loopOfGets(baseUrl);
else {
  await main();
  process.exit();
}
