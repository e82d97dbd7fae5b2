import { createHash } from 'node:crypto';
import { Secret } from 'base/encryption/secret';
import { createLogger } from 'base/logger';
import type { Db } from 'runs-service/store/schema';
import type { SpendCap } from 'runs-service/store/spend-cap';
import { createRandom } from '../../random.ts';
import { Scheduler } from '../scheduler.ts';
import type { SeedResult } from '../simulate-seed.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Agent } from './agent.ts';
import { createDecidingPeople } from './deciding-people.ts';
import { createServices } from './service-processes.ts';
import type { SpendingDatabase } from './spending-database.ts';
import { spendingInvariants } from './spending-invariants.ts';
import type { SpendingPlan, SpendingRun } from './spending-plan.ts';

/** Time for all calls, questions and leases, in ms. */
const mostMs = 900_000;
const pollEveryMs = 1_000;

/** Runs agents with caps against services that crash, in virtual time, until all runs have ended. */
export async function simulateSpending(
  plan: SpendingPlan,
  { time, database }: { time: VirtualTime; database: SpendingDatabase },
): Promise<SeedResult> {
  const random = createRandom(plan.seed + 2_000_003);
  const scheduler = new Scheduler(random);
  time.use(scheduler, random);
  database.empty();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(`${scheduler.sinceStartMs.toFixed(1)} ${line}`);
  const logger = createLogger('error', { write: log });
  const agents = plan.runs.map((run, index) => createAgent(plan, run, index));
  const people = createDecidingPeople({ scheduler, database, log }, plan.clicks);
  const db = database.open();
  for (const { runId } of agents) void insertRun(db, runId);
  const services = createServices({
    scheduler,
    database,
    faults: plan.faults,
    agents,
    logger,
    log,
  });
  services.startAll(plan.services);
  people.start();
  const startMs = scheduler.nowMs;
  const isIdle = () => database.isIdle(agents.length);
  while (scheduler.sinceStartMs < mostMs && !isIdle()) {
    const until = startMs + scheduler.sinceStartMs + pollEveryMs;
    while (await scheduler.step(until));
  }
  services.abandon();
  const world = { database, agents, decisions: people.decisions, isIdle: isIdle() };
  return {
    findings: Object.entries(spendingInvariants).flatMap(([promise, find]) =>
      [...find(world)].map((about) => ({ promise, about })),
    ),
    events: scheduler.events,
    endedMs: scheduler.sinceStartMs,
    log: lines,
    hash: createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
}

/** Returns an agent whose calls count for its run, a person and a channel. */
function createAgent({ sharedLimitMicros }: SpendingPlan, plan: SpendingRun, index: number): Agent {
  const runId = `run-${index + 1}`;
  const cap = (scope: SpendCap['scope'], key: string, more: Partial<SpendCap>): SpendCap => ({
    scope,
    setBy: 'operator',
    key,
    name: scope,
    limitMicros: sharedLimitMicros,
    per: 'day',
    // Midnight is at the start of the simulation, so a clock that is set back is in the day before.
    timeZone: 'America/Anchorage',
    ...more,
  });
  const person = cap('person', 'person:T1/U1', {});
  const channel = cap('channel', 'channel:T1/C1', { per: 'month', timeZone: 'UTC' });
  const own = cap('run', `run:${runId}`, { per: 'run', limitMicros: plan.limitMicros });
  return {
    runId,
    plan,
    caps: plan.hasSharedCaps ? [own, person, channel] : [own],
    spendKeys: [own, person, channel].map(({ key }) => key),
    made: plan.lanes.map(() => 0),
    billed: [],
  };
}

/** Stores a run in progress whose process is gone, so that its service takes it over. */
async function insertRun(db: Db, id: string): Promise<void> {
  await db
    .insertInto('service_runs')
    .values({
      id,
      session_token: id,
      request_hash: '',
      state: 'INPROGRESS',
      creator_uid: 'ada',
      environment_id: 'simulated',
      source: 'API',
      conversation_id: id,
      key_uid: 'user ada',
      created_at: 1,
      updated_at: 1,
      started_at: 1,
      cancel_requested: 0,
      followups_closed: 0,
      lease_until: 0,
      title: id,
      creator_json: '{}',
      config_json: new Secret('config_json', id, '{}'),
      metadata_json: '{}',
      prompt: new Secret('prompt', id, 'x'),
      search_text: '',
    })
    .execute();
}
