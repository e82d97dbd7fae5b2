/** Simulates one day, waits until everything is shown, and returns the measurements. */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { sleep } from 'base/sleep';
import { startPostgres } from '../../packages/base/test/support/postgres-server.ts';
import type { StartChild } from './children.ts';
import { channels, type Day } from './day.ts';
import { databaseBytes, outcomeOf, readRuns } from './outcome.ts';
import { type Deed, liveThroughTheDay } from './people.ts';
import type { Result } from './result.ts';
import type { SlackReport } from './slack-model.ts';
import { startTestBed, type TestBed } from './test-bed.ts';
import { watchUsage } from './usage.ts';

const idleMs = 10_000;

export async function measureDay(day: Day, start: StartChild): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
  const postgres = await startPostgres({ isDurable: true });
  // Stop PostgreSQL, because it's a separate server. The other processes end with this one.
  const stopEarly = async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  };
  process.once('SIGTERM', stopEarly).once('SIGINT', stopEarly);
  try {
    const bed = await startTestBed(day, { postgresUrl: postgres.url, folder, start });
    try {
      return await measure(day, bed);
    } finally {
      await bed.stop();
    }
  } finally {
    process.off('SIGTERM', stopEarly).off('SIGINT', stopEarly);
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(day: Day, bed: TestBed): Promise<Result> {
  const { slack, ports, botDb, serviceDb } = bed;
  const before = { bot: await databaseBytes(botDb), service: await databaseBytes(serviceDb) };
  const usage = watchUsage(bed.readers);
  const { origin: slackOrigin, messageOf } = slack;
  const deeds = await liveThroughTheDay({ day, ports, slackOrigin, messageOf });
  const processes = await usage.stop();
  for (const problem of problemsOf(deeds)) process.stderr.write(`${problem}\n`);
  const { methods, stories, ...outcome } = await untilShown(day, bed, deeds);
  for (const story of stories) process.stderr.write(`lost or twice: ${story}\n`);
  const { size, people, peak, dayMs, factor } = day;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return {
    size,
    people,
    peak,
    daySeconds: dayMs / 1_000,
    factor,
    machine: `${cpus().length} cores (${cpus()[0]?.model}), ${memory}, Node ${process.version}`,
    at: new Date().toISOString(),
    ...outcome,
    slack: Object.entries(methods).map(([method, { allowed, ...counted }]) => ({
      method,
      ...counted,
      allowed: allowed * 60 * (method === 'chat.postMessage' ? channels : 1),
    })),
    processes,
    growth: {
      bot: ((await databaseBytes(botDb)) - before.bot) / outcome.accepted,
      service: ((await databaseBytes(serviceDb)) - before.service) / outcome.accepted,
    },
  };
}

/** Counts failed acknowledgements by kind and problem, most frequent first. */
function problemsOf(deeds: readonly Deed[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind, problem } of deeds)
    if (problem) counts.set(`${kind}: ${problem}`, (counts.get(`${kind}: ${problem}`) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 10)
    .map(([problem, count]) => `${count} times ${problem}`);
}

/** Waits until all runs have ended and are shown, and Slack gets no more messages. */
async function untilShown(day: Day, { slack, serviceDb }: TestBed, deeds: readonly Deed[]) {
  const deadline = Date.now() + 3 * day.agentMs + 120_000;
  let [writes, quietSince] = [-1, Date.now()];
  for (;;) {
    const { methods, ...shown } = await slack.report();
    const outcome = outcomeOf({ deeds, ...shown, runs: await readRuns(serviceDb) });
    const now = writesIn(methods);
    if (now !== writes) quietSince = Date.now();
    writes = now;
    const isQuiet = outcome.lost + outcome.unfinished === 0 && Date.now() - quietSince > idleMs;
    if (isQuiet || Date.now() > deadline) return { ...outcome, methods };
    await sleep(1_000);
  }
}

const writesIn = (methods: SlackReport['methods']) =>
  (methods['chat.postMessage']?.calls ?? 0) + (methods['chat.update']?.calls ?? 0);
