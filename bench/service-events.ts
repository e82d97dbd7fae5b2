/** Compares following by events with following by sweeps: time from a change to its update, and requests. */
import { join } from 'node:path';
import { Secret } from 'base/encryption/secret';
import { createLogger } from 'base/logger';
import { fixedEnvironments } from 'runs-service/environments/environments';
import { createRunsService } from 'runs-service/service';
import { createRuns } from 'runs-service/store/runs';
import { openTestDatabase as openServiceDatabase } from '../packages/runs-service/test/support/databases.ts';
import { aServiceRun } from '../packages/runs-service/test/support/service/service-run-builder.ts';
import { openTestDatabase } from '../test/support/database/databases.ts';
import { followRuns } from '../test/support/database/followed-rows.ts';
import { hourMs, runIdOf } from './changing-runs.ts';
import { type ChangingRuns, drive } from './drive-changes.ts';
import { sleepMs, startChild, untilShown } from './following-child.ts';

const load = { changesPerSecond: 100, seconds: 12, drainSeconds: 3, activeRuns: 10_000 };
const quietSeconds = { events: 60, sweeps: 8 };
const rowsAtOnce = 500;

type Judge = (name: string, value: number, most: number, unit: string) => void;

/** Starts our service with active runs that no process executes. */
async function startService(folder: string) {
  const db = await openServiceDatabase(`sqlite:${join(folder, 'service.db')}`);
  const at = Date.now() - hourMs;
  const { metadata: _, ...columns } = aServiceRun();
  const rows = Array.from({ length: load.activeRuns }, (__, index) => {
    const id = runIdOf(index);
    return {
      ...columns,
      id,
      session_token: `token-${index}`,
      conversation_id: `c-${index}`,
      search_text: '',
      state: 'INPROGRESS',
      cancel_requested: 0,
      followups_closed: 0,
      metadata_json: '{}',
      created_at: at + index,
      updated_at: at + index,
      started_at: at + index,
      prompt: new Secret('prompt', id, columns.prompt),
      config_json: new Secret('config_json', id, columns.config_json),
    };
  });
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await db
      .insertInto('service_runs')
      .values(rows.slice(from, from + rowsAtOnce))
      .execute();
  const service = createRunsService({
    allowRoot: true,
    db,
    dataDir: join(folder, 'service'),
    environments: fixedEnvironments([]),
    keys: [
      {
        key: 'key',
        role: 'all',
        creator: { type: 'service_account', uid: 'bot', display_name: 'Bot' },
      },
    ],
    host: '127.0.0.1',
    port: 0,
    concurrency: 0,
    logger: createLogger('error'),
    requestsPerMinute: 1_000_000,
  });
  await service.start();
  const runs = createRuns(db);
  const source: ChangingRuns = {
    async change(index, note) {
      const changedAt = Date.now();
      const status_json = JSON.stringify({ message: note });
      await runs.change(runIdOf(index), ['INPROGRESS'], { status_json });
      return changedAt;
    },
    counted: { lists: 0, gets: 0 },
    sweeps: [],
  };
  const known = rows.map(({ id, updated_at }) => ({
    run_id: id,
    prompt: 'Do it',
    state: 'INPROGRESS',
    created_at: new Date(updated_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  }));
  const stop = async () => {
    await service.stop();
    await db.destroy();
  };
  return { apiUrl: service.apiUrl, source, known, stop };
}

async function measure(folder: string, self: string, mode: 'events' | 'sweeps') {
  const own = join(folder, mode);
  const { apiUrl, source, known, stop } = await startService(own);
  const file = `${own}.db`;
  const db = await openTestDatabase(`sqlite:${file}`);
  await followRuns(db, known, { overMs: 2 * hourMs });
  await db.destroy();
  const bot = startChild(self, 'follow', file, apiUrl, 'no limit', mode);
  await bot.begun;
  await sleepMs(2_000);
  await source.change(0, 'first');
  await untilShown(bot, 'first');
  const driven = await drive(bot, source, load);
  const before = await bot.usage();
  await sleepMs(quietSeconds[mode] * 1_000);
  const quietCalls = ((await bot.usage()).calls - before.calls) / quietSeconds[mode];
  await bot.kill();
  await stop();
  return { ...driven, quietCalls };
}

export async function measureEvents(folder: string, self: string, judge: Judge): Promise<void> {
  const events = await measure(folder, self, 'events');
  const sweeps = await measure(folder, self, 'sweeps');
  const print = (line = '') => process.stdout.write(`${line}\n`);
  print(
    `Our service over HTTP, ${load.activeRuns} active runs, ${load.changesPerSecond} changes a second for ${load.seconds} s`,
  );
  print();
  print('| | events | sweeps only | ratio |');
  print('| --- | --: | --: | --: |');
  const compare = (name: string, read: (driven: typeof events) => number, digits = 0) => {
    const [with_, without] = [read(events), read(sweeps)];
    const ratio = (without / with_).toFixed(1);
    print(`| ${name} | ${with_.toFixed(digits)} | ${without.toFixed(digits)} | ${ratio} |`);
  };
  compare('change → update handed to the Slack client, median ms', (each) => each.medianMs);
  compare('99th percentile ms', (each) => each.p99Ms);
  compare('requests a second', (each) => each.callsPerSecond, 1);
  compare('requests a second when nothing changes', (each) => each.quietCalls, 2);
  compare('CPU of the bot, part of a core', (each) => each.cpuPart, 2);
  compare('changes shown', (each) => each.shown);
  print();
  judge('with events: change → update, median', events.medianMs, 100, 'ms');
  judge('with events: 99th percentile', events.p99Ms, 400, 'ms');
  judge('with events: requests a second when nothing changes', events.quietCalls, 0.1, '');
}
