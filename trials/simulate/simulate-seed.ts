import { createHash } from 'node:crypto';
import { createRandom } from '../random.ts';
import { type Bots, createBots } from './bots.ts';
import { createDeliveries } from './deliveries.ts';
import { runOf } from './in-slack.ts';
import type { Finding } from './invariant.ts';
import { findBroken } from './invariants.ts';
import { createNetwork } from './network.ts';
import { createPeople } from './people.ts';
import type { Plan } from './plan.ts';
import { createRunsModel } from './runs-model.ts';
import { Scheduler } from './scheduler.ts';
import type { SharedDatabase } from './shared-database.ts';
import { createSlackFetch, createSlackModel } from './slack-model.ts';
import type { VirtualTime } from './virtual-time.ts';

export type SeedResult = {
  findings: Finding[];
  events: number;
  endedMs: number;
  log: string[];
  /** Hash of the log, the same for the same seed. */
  hash: string;
};

/** Time in ms by which faults and acts are over, except for those in progress. */
const calmAtMs = 8_000;
/** Time in ms for every backoff, lease and the last search for duplicates. */
const mostCalmMs = 400_000;
const pollEveryMs = 400;

/** Runs one plan in virtual time until nothing is left to do. */
export async function simulate(
  plan: Plan,
  { time, database }: { time: VirtualTime; database: SharedDatabase },
): Promise<SeedResult> {
  const random = createRandom(plan.seed + 1_000_003);
  const scheduler = new Scheduler(random);
  time.use(scheduler, random);
  database.empty(plan.workspaces);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(`${scheduler.sinceStartMs.toFixed(1)} ${line}`);
  const botLines: string[] = [];
  const { faults } = plan;
  const crashSoon: Bots['crashSoon'] = (owner, how) => bots.crashSoon(owner, how);
  const network = createNetwork({ scheduler, random, faults, log, crashSoon });
  const slack = createSlackModel(scheduler, plan);
  globalThis.fetch = createSlackFetch(slack, network);
  const fates = new Map(plan.acts.flatMap((act) => ('fate' in act ? [[act.run, act.fate]] : [])));
  const runs = createRunsModel(scheduler, { fateOf: (prompt) => fates.get(runOf(prompt)), log });
  const onLine = (line: string) => {
    botLines.push(line);
    const { level, msg, err } = JSON.parse(line);
    if (level >= 40)
      log(`  ${scheduler.current?.name} logs: ${msg}${err ? `: ${err.message}` : ''}`);
  };
  const { hasEvents, workspaces } = plan;
  const shared = { scheduler, network, runs, hasEvents, workspaces, faults, log };
  const bots = createBots({ ...shared, database, onLine });
  const deliveries = createDeliveries({ ...shared, random, bots });
  const people = createPeople({ ...shared, slack, deliveries });

  bots.startAll(plan.replicas);
  people.plan(plan.acts);
  const runUntil = async (ms: number) => {
    const until = scheduler.nowMs - scheduler.sinceStartMs + ms;
    while (await scheduler.step(until));
  };
  const { done } = people;
  const isIdle = () =>
    !people.isBusy() &&
    !deliveries.isWaiting() &&
    network.pending() === 0 &&
    runs.isFinished() &&
    database.isIdle(scheduler.nowMs);
  const untilIdle = async (ms: number) => {
    while (scheduler.sinceStartMs < ms && !isIdle())
      await runUntil(scheduler.sinceStartMs + pollEveryMs);
  };
  await untilIdle(calmAtMs);
  log('the faults end');
  network.calm();
  bots.calm();
  const canceled = new Set(done.cancels.map(({ requestId }) => requestId));
  scheduler.in(1_000, undefined, () => runs.finish((id) => canceled.has(id)));
  await untilIdle(calmAtMs + mostCalmMs);
  log('the end');
  bots.abandon();
  const ended = { isIdle: isIdle(), botLines, database };
  const findings = findBroken({ plan, slack, runs, bots, done, ...ended });
  return {
    findings,
    events: scheduler.events,
    endedMs: scheduler.sinceStartMs,
    log: lines,
    hash: createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
}
