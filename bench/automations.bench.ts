/**
 * Measures automations: `npm run bench -- automations`. First, 1,000 are due in the same minute while people type
 * `/agent`; the bot keeps Slack's limits. Then 10,000 are idle, and the benchmark counts the statements. See README.md.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from 'base/database/database';
import type { OnStatement } from 'base/database/report-statements';
import { createLogger } from 'base/logger';
import { nextTime } from 'base/schedule/cron';
import { Pool } from 'undici';
import { freePort } from '../packages/base/test/support/free-port.ts';
import { testEncryption, testKeys } from '../packages/base/test/support/test-key.ts';
import type { Trigger } from '../src/automations/automation.ts';
import { createFiringWorker } from '../src/automations/firing-worker.ts';
import { createScheduleWorker } from '../src/automations/schedule-worker.ts';
import { createBot } from '../src/bot/bot.ts';
import { createAutomations } from '../src/store/automations/automations.ts';
import { createFiringQueue } from '../src/store/automations/firing-queue.ts';
import { createScheduleQueue } from '../src/store/automations/schedule-queue.ts';
import type { DatabaseSchema, Db } from '../src/store/schema.ts';
import { botTables } from '../src/store/tables.ts';
import { aDefinition, anAutomation } from '../test/support/automations.ts';
import { signedDelivery, signingSecret } from './ack-deliveries.ts';
import { serveWorld, type WorldCounts } from './ack-world.ts';

const due = 1_000;
const idle = 10_000;
const channels = 100;
const idleForMs = 20_000;
/** Interval between two `/agent` in ms. */
const typedEveryMs = 50;
const mostMs = 300_000;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const sleepMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0;
const quantiles = (values: readonly number[]) =>
  `p50 ${quantile(values, 0.5).toFixed(1)}, p99 ${quantile(values, 0.99).toFixed(1)}, most ${quantile(values, 1).toFixed(1)} ms`;

const open = (url: string, onStatement?: OnStatement) =>
  openDatabase<DatabaseSchema>(url, [botTables], { encryption: testEncryption, onStatement });

async function fill(db: Db, count: number, trigger: Extract<Trigger, { kind: 'schedule' }>) {
  for (let index = 0; index < count; index += 1)
    await createAutomations(db).create(
      anAutomation({
        id: `automation-${index}`,
        teamId: 'T04BENCH',
        ownerId: `U04PERSON${index % 20}`,
        channelId: `C04CHANNEL${index % channels}`,
        name: `Check ${index}`,
        definition: aDefinition({ trigger }),
        nextAt: nextTime(trigger, Date.now()),
      }),
      'U1',
    );
}

/** Adds automations quickly, so that they're there before they're due. */
const inOneTransaction = (db: Db, count: number, trigger: Parameters<typeof fill>[2]) =>
  db.transaction().execute((trx) => fill(trx, count, trigger));

async function serveBot(world: string, url: string): Promise<number> {
  const port = await freePort();
  const delivery = { mode: 'http', signingSecret, host: '127.0.0.1', port } as const;
  const bot = createBot(
    {
      slack: { botToken: 'xoxb-bench', apiUrl: `${world}/api/`, delivery },
      health: undefined,
      runsApi: { baseUrl: `${world}/api/v1`, apiKey: 'key' },
      databaseUrl: url,
      encryptionKeys: testKeys,
      logLevel: 'error',
    },
    createLogger('error'),
  );
  await bot.start();
  return port;
}

function start(...args: string[]) {
  const child = fork(fileURLToPath(import.meta.url), args);
  const next = async <Message>() => (await once(child, 'message'))[0] as Message;
  return { child, next };
}

const countsIn = async (db: Db) =>
  Object.fromEntries(
    (
      await db
        .selectFrom('automation_firings')
        .select((row) => ['state', 'reason', row.fn.countAll<number>().as('count')])
        .groupBy(['state', 'reason'])
        .execute()
    ).map(({ state, reason, count }) => [reason ?? state, Number(count)]),
  );

/** Types `/agent` until the work ends. Returns the time of each acknowledgement, in ms. */
async function typeUntil(pool: Pool, work: Promise<unknown>): Promise<number[]> {
  const tookMs: number[] = [];
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  const sent: Promise<void>[] = [];
  for (let number = 0; !isOver; number += 1) {
    const beganAt = performance.now();
    const delivery = signedDelivery('/agent', number);
    sent.push(
      pool.request({ path: '/slack/events', method: 'POST', ...delivery }).then(async (answer) => {
        await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`the bot answers ${answer.statusCode}`);
        tookMs.push(performance.now() - beganAt);
      }),
    );
    await sleepMs(typedEveryMs);
  }
  await Promise.all(sent);
  return tookMs;
}

async function measureDue(folder: string, children: ChildProcess[]): Promise<void> {
  const url = `sqlite:${join(folder, 'due.db')}`;
  const db = await open(url);
  // A full minute that is far enough away for the bot to start.
  const at = new Date(Date.now() + 80_000);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  await inOneTransaction(db, due, { kind: 'schedule', cron, timeZone: 'UTC', overlap: 'skip' });
  const dueAt = at.setUTCSeconds(0, 0);
  const world = start('world');
  children.push(world.child);
  const origin = await world.next<string>();
  const bot = start('bot', origin, url);
  children.push(bot.child);
  const pool = new Pool(`http://127.0.0.1:${await bot.next<number>()}`, { connections: 20 });
  const secondsAfter = () => ((Date.now() - dueAt) / 1_000).toFixed(1);
  const before = await typeUntil(pool, sleepMs(Math.max(5_000, dueAt - Date.now() - 500)));
  const posts = async () => {
    world.child.send('counts');
    return (await world.next<WorldCounts>()).posts;
  };
  const allStarted = async () => {
    let startedAfter: string | undefined;
    while (Date.now() < dueAt + mostMs) {
      const counts = await countsIn(db);
      const { waiting = 0, ...ended } = counts;
      const decided = Object.values(ended).reduce((sum, each) => sum + each, 0);
      if (decided === due && waiting === 0 && startedAfter === undefined) {
        startedAfter = secondsAfter();
        print(`  all decided after ${startedAfter} s: ${JSON.stringify(ended)}`);
      }
      const shown = await posts();
      if (startedAfter !== undefined && shown >= due)
        return print(`  all run messages are in Slack after ${secondsAfter()} s`);
      await sleepMs(500);
    }
    print(`  not finished: ${JSON.stringify(await countsIn(db))}, ${await posts()} posts`);
    process.exitCode = 1;
  };
  print(`${due} automations in ${channels} channels, due in the same minute`);
  const meanwhile = await typeUntil(pool, allStarted());
  print(`  acknowledgements before: ${quantiles(before)} of ${before.length}`);
  print(`  acknowledgements meanwhile: ${quantiles(meanwhile)} of ${meanwhile.length}`);
  if (quantile(meanwhile, 0.99) > 100) process.exitCode = 1;
  await pool.close();
  await db.destroy();
}

async function measureIdle(folder: string): Promise<void> {
  let statements = 0;
  const db = await open(`sqlite:${join(folder, 'idle.db')}`, () => {
    statements += 1;
  });
  const trigger = {
    kind: 'schedule',
    cron: '0 0 29 2 *',
    timeZone: 'UTC',
    overlap: 'skip',
  } as const;
  await inOneTransaction(db, idle, trigger);
  const logger = createLogger('error');
  const never = () => {
    throw new Error('nothing is due');
  };
  const firings = createFiringWorker({ queue: createFiringQueue(db), placeOf: never, logger });
  const schedules = createScheduleWorker({
    queue: createScheduleQueue(db),
    wakeFirings: () => firings.wake(),
    logger,
  });
  const cpuBefore = process.cpuUsage();
  statements = 0;
  firings.start();
  schedules.start();
  await sleepMs(idleForMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  await Promise.all([firings.stop(), schedules.stop()]);
  const seconds = idleForMs / 1_000;
  print(
    `${idle} idle automations: ${(statements / seconds).toFixed(1)} statements and ${((user + system) / 1_000 / seconds).toFixed(1)} ms of CPU a second`,
  );
  await db.destroy();
}

const [role, origin = '', url = ''] = process.argv.slice(2);
if (process.send) {
  process.once('disconnect', () => process.exit());
  if (role === 'world') serveWorld();
  else process.send(await serveBot(origin, url));
} else {
  print('Goals: acknowledgements p99 at most 100 ms, all started');
  const folder = mkdtempSync(join(tmpdir(), 'slash-agent-bench-'));
  const children: ChildProcess[] = [];
  try {
    await measureDue(folder, children);
    await measureIdle(folder);
  } finally {
    for (const child of children) child.disconnect();
    await sleepMs(500);
    rmSync(folder, { recursive: true, force: true });
  }
}
