/** Starts everything that the day needs: PostgreSQL, a model of Slack, runs services and bots, in separate processes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openTestDatabase as openServiceDatabase } from '../../packages/runs-service/test/support/databases.ts';
import { openTestDatabase } from '../../test/support/database/databases.ts';
import type { Child, StartChild } from './children.ts';
import type { Day } from './day.ts';
import type { FromSlack, ShownMessage, SlackReport } from './slack-model.ts';
import { type Usage, usageOf, usageOfServer } from './usage.ts';

const replicas = 3;
const services = 2;

export type TestBed = Awaited<ReturnType<typeof startTestBed>>;

type Places = { postgresUrl: string; folder: string; start: StartChild };

export async function startTestBed(day: Day, { postgresUrl, folder, start }: Places) {
  const urls = await createDatabases(postgresUrl);
  const slack = await startSlack(day, start);
  const runs = await startAll<string>(services, (index) =>
    start('service', day, urls.service, join(folder, `service-${index}`)),
  );
  const bots = await startAll<number>(replicas, (index) => {
    const api = runs[index % services]?.told;
    return start('bot', day, { slack: slack.origin, runs: api, database: urls.bot });
  });
  const botDb = await openTestDatabase(urls.bot);
  const serviceDb = await openServiceDatabase(urls.service);
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(botDb);
  const server = parentOf(rows[0]?.pid ?? 0);
  const readers: Record<string, () => Usage> = { PostgreSQL: () => usageOfServer(server) };
  for (const [index, { child }] of bots.entries())
    readers[`bot ${index + 1}`] = () => usageOf(child.pid);
  for (const [index, { child }] of runs.entries())
    readers[`runs service ${index + 1}`] = () => usageOf(child.pid);
  readers['model of Slack'] = () => usageOf(slack.child.pid);
  readers['people'] = () => usageOf(process.pid);
  return {
    slack,
    botDb,
    serviceDb,
    readers,
    ports: bots.map(({ told }) => told),
    /** Stops the bots first, because they call the others. */
    async stop() {
      for (const { child } of [...bots, ...runs, slack]) await child.stop();
      await Promise.all([botDb.destroy(), serviceDb.destroy()]);
    },
  };
}

/** Creates two databases, so that the growth of each is known. */
async function createDatabases(url: string) {
  const admin = await openTestDatabase(url);
  const create = async (name: string) => {
    await sql`create database ${sql.id(name)}`.execute(admin);
    return url.replace(/\/postgres$/, `/${name}`);
  };
  const urls = { bot: await create('bot'), service: await create('service') };
  await admin.destroy();
  return urls;
}

async function startSlack(day: Day, start: StartChild) {
  const child = start<FromSlack>('slack', day.factor);
  const messages = new Map<number, ShownMessage>();
  child.listen(({ posted }) => posted && messages.set(posted.number, posted));
  return {
    child,
    origin: await child.hear(({ origin }) => origin),
    /** Returns the run message as first posted, without later updates. */
    messageOf: (number: number) => messages.get(number),
    report(): Promise<SlackReport> {
      const report = child.hear((told) => told.report);
      child.ask();
      return report;
    },
  };
}

/** Starts one after another, because the first one creates the tables. */
async function startAll<Told>(count: number, start: (index: number) => Child<Told>) {
  const started: { child: Child<Told>; told: Told }[] = [];
  for (let index = 0; index < count; index += 1) {
    const child = start(index);
    started.push({ child, told: await child.hear((told) => told) });
  }
  return started;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
