import { openTestDatabase } from '../test/support/database/databases.ts';
/**
 * Measures what following costs: requests and flushes per change, the time from a change to the update of its message,
 * memory and restart; with `events`, only following by the events of our service. Else the runs API is a stub in this process. The bot (store, client, follower) and its competitor, a loop
 * of GETs with the public SDK, run in their own processes.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { followRuns } from '../test/support/database/followed-rows.ts';
import { hourMs, startStub } from './changing-runs.ts';
import { drive } from './drive-changes.ts';
import { sleepMs, startChild, untilShown } from './following-child.ts';
import { follow, loopOfGets } from './following-contenders.ts';
import { measureEvents } from './service-events.ts';

const self = fileURLToPath(import.meta.url);
const activeRuns = 10_000;
const manyRuns = 100_000;
const load = { changesPerSecond: activeRuns / 100, seconds: 20, drainSeconds: 15 };
/** Limit of `chat.update` (tier 3), in calls a minute. With more changes, every follower waits for Slack. */
const slackLoad = { changesPerSecond: 40 / 60, seconds: 45, drainSeconds: 5 };

type Stub = Awaited<ReturnType<typeof startStub>>;

const print = (line = '') => process.stdout.write(`${line}\n`);
const mebi = (bytes: number) => bytes / 1024 / 1024;

const results: { name: string; value: string; goal: string; isMet: boolean }[] = [];
function judge(name: string, value: number, most: number, unit: string): void {
  const [shown, goal] = [value, most].map((number) =>
    `${number.toFixed(number < 100 ? 1 : 0)} ${unit}`.trim(),
  );
  results.push({ name, value: shown ?? '', goal: `≤ ${goal}`, isMet: value <= most });
}

async function fill(file: string, stub: Stub): Promise<void> {
  const db = await openTestDatabase(`sqlite:${file}`);
  await followRuns(db, [...stub.runs.values()], { overMs: 2 * hourMs });
  await db.destroy();
}

async function driveBot(folder: string, stub: Stub, rate: typeof load, pace: string) {
  const file = join(folder, `${pace}.db`);
  await fill(file, stub);
  const bot = startChild(self, 'follow', file, stub.baseUrl, pace);
  await bot.begun;
  stub.change(0, pace);
  await untilShown(bot, pace);
  await sleepMs(2_000);
  const driven = await drive(bot, stub, { ...rate, activeRuns });
  await bot.kill();
  return driven;
}

async function measureChanges(folder: string): Promise<void> {
  const stub = await startStub(activeRuns);
  const ours = await driveBot(folder, stub, load, 'no limit');
  const peer = startChild(self, 'peer', stub.baseUrl);
  await peer.begun;
  const theirs = await drive(peer, stub, { ...load, activeRuns });
  await peer.kill();
  print(
    `${activeRuns} active runs, ${load.changesPerSecond} changes a second, ${load.seconds} s each, no limit of Slack's`,
  );
  print();
  print('| | slash-agent | loop of GETs, oz-agent-sdk | ratio |');
  print('| --- | --: | --: | --: |');
  const compare = (name: string, read: (driven: typeof ours) => number, digits = 0) => {
    const [our, their] = [read(ours), read(theirs)];
    print(
      `| ${name} | ${our.toFixed(digits)} | ${their.toFixed(digits)} | ${(their / our).toFixed(1)} |`,
    );
  };
  const perRound = ({ gets, lists, ticks }: typeof ours) => (gets + lists) / ticks;
  compare('requests a second', perRound, 1);
  print(
    `| requests for one look at all runs | ${((ours.lists + ours.gets) / ours.ticks).toFixed(1)} | ${activeRuns} | ${(activeRuns / perRound(ours)).toFixed(0)} |`,
  );
  compare(
    'change at the API → update handed to the Slack client, median ms',
    (each) => each.medianMs,
  );
  compare('99th percentile ms', (each) => each.p99Ms);
  compare('CPU, part of a core', (each) => each.cpuPart, 2);
  compare('changes shown', (each) => each.shown);
  print();
  print(
    `Of our requests ${ours.lists} were lists and ${ours.gets} single looks; sweeps were ${ours.intervalMs} ms apart.`,
  );
  print(
    `In the store: ${(ours.flushes / ours.changes).toFixed(2)} flushes and ${(ours.statements / ours.changes).toFixed(2)} statements a change.`,
  );
  print('A change is not shown if the same run changed again first.');
  print();
  const allowed = 1.2 + (ours.ticks * 100) / ours.changes;
  judge('requests for 100 changes', ((ours.lists + ours.gets) * 100) / ours.changes, allowed, '');
  judge(
    'change → update, median, against one sweep interval',
    ours.medianMs,
    ours.intervalMs,
    'ms',
  );
  judge(
    'change → update, 99th percentile, against two intervals',
    ours.p99Ms,
    2 * ours.intervalMs,
    'ms',
  );
  stub.close();
}

/** Above Slack's limit, changes wait and the newest state of a run wins. This load stays below the limit. */
async function measureSlackPace(folder: string): Promise<void> {
  const stub = await startStub(activeRuns);
  const slow = await driveBot(folder, stub, slackLoad, "Slack's pace");
  print(
    `With Slack's tier for chat.update, 50 a minute, and 40 changes a minute: ${slow.shown} of ${slow.changes} shown.`,
  );
  print();
  judge("within Slack's limit, median", slow.medianMs, slow.intervalMs, 'ms');
  judge("within Slack's limit, slowest of 30", slow.p99Ms, 2 * slow.intervalMs, 'ms');
  stub.close();
}

async function measureMany(folder: string): Promise<void> {
  const stub = await startStub(manyRuns);
  const idle = startChild(self, 'follow', join(folder, 'idle.db'), stub.baseUrl, '');
  await idle.begun;
  await sleepMs(5_000);
  const idleMiB = mebi((await idle.usage()).rssBytes);
  await idle.kill();
  const file = join(folder, 'many.db');
  await fill(file, stub);
  let bot = startChild(self, 'follow', file, stub.baseUrl, '');
  stub.change(1, 'first');
  await untilShown(bot, 'first');
  for (let number = 0; number < 2_000; number += 1) {
    stub.change(number * 7, `busy-${number}`);
    await sleepMs(5);
  }
  const manyMiB = mebi((await bot.usage()).rssBytes);
  await bot.kill();
  const startedAt = performance.now();
  bot = startChild(self, 'follow', file, stub.baseUrl, '');
  stub.change(2, 'while it was away');
  await bot.begun;
  const begunMs = performance.now() - startedAt;
  await untilShown(bot, 'while it was away');
  const restartMs = performance.now() - startedAt;
  await bot.kill();
  stub.close();
  print(
    `${manyRuns} followed runs: an idle bot takes ${idleMiB.toFixed(0)} MiB, one that follows them ${manyMiB.toFixed(0)} MiB. Of a restart Node and opening the database took ${begunMs.toFixed(0)} ms.`,
  );
  print();
  judge(
    `memory with ${manyRuns} followed runs over an idle bot`,
    manyMiB - idleMiB,
    150 / 1.048576,
    'MiB',
  );
  judge('`kill -9` and restart → all changes are shown', restartMs, 5_000, 'ms');
}

async function main(only: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-following-'));
  try {
    await measureEvents(folder, self, judge);
    if (only === 'events') return;
    await measureChanges(folder);
    await measureSlackPace(folder);
    await measureMany(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    printResults();
  }
}

function printResults(): void {
  print('| goal | measured | at most | |');
  print('| --- | --: | --: | --- |');
  for (const { name, value, goal, isMet } of results)
    print(`| ${name} | ${value} | ${goal} | ${isMet ? 'met' : 'missed'} |`);
}

const [role, ...args] = process.argv.slice(2);
if (role === 'follow') await follow(args[0] ?? '', args[1] ?? '', args[2] ?? '', args[3] ?? '');
else if (role === 'peer') await loopOfGets(args[0] ?? '', activeRuns);
else {
  await main(role);
  process.exit();
}
