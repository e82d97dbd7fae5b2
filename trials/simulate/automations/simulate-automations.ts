import { createHash } from 'node:crypto';
import { createLogger, type Logger } from 'base/logger';
import { nextTime } from 'base/schedule/cron';
import type { Trigger } from '../../../src/automations/automation.ts';
import { createFiringWorker } from '../../../src/automations/firing-worker.ts';
import { createScheduleWorker } from '../../../src/automations/schedule-worker.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createFiringQueue } from '../../../src/store/automations/firing-queue.ts';
import { createFirings } from '../../../src/store/automations/firings.ts';
import { createScheduleQueue } from '../../../src/store/automations/schedule-queue.ts';
import { createRandom } from '../../random.ts';
import { type Owner, Scheduler } from '../scheduler.ts';
import type { SeedResult } from '../simulate-seed.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { createAutomationEvents, type SimulatedBot } from './automation-events.ts';
import { automationInvariants } from './automation-invariants.ts';
import { createReplicas } from './automation-replicas.ts';
import type { AutomationsDatabase } from './automations-database.ts';
import type { AutomationPlan, AutomationsPlan } from './automations-plan.ts';
import {
  createFollowing,
  createSimulatedPlace,
  type PlaceDeps,
  type WantedStart,
} from './simulated-place.ts';
import { readStoredFirings } from './stored-firings.ts';

/** Time in which schedules are due, in ms. */
const busyMs = 5 * 60_000;
/** Time after that for runs, checks of starts, retries and leases, in ms. */
const mostCalmMs = 40 * 60_000;
const pollEveryMs = 1_000;
const teamId = 'T1';

/** Runs automations on bots that crash, in virtual time, until everything that fired is decided. */
export async function simulateAutomations(
  plan: AutomationsPlan,
  { time, database }: { time: VirtualTime; database: AutomationsDatabase },
): Promise<SeedResult> {
  const random = createRandom(plan.seed + 3_000_017);
  const startedAt = Date.parse(plan.moment.startsAt);
  const scheduler = new Scheduler(random, startedAt);
  time.use(scheduler, random);
  database.empty();
  const lines: string[] = [];
  const log = (line: string) => void lines.push(`${scheduler.sinceStartMs.toFixed(1)} ${line}`);
  const logger = createLogger('error', { write: log });
  const automations = plan.automations.map((each, index) => ({
    id: `automation-${index}`,
    index,
    plan: each,
    createdAt: startedAt - each.outageMs,
  }));
  const store = createAutomations(database.open());
  for (const { id, index, plan: each, createdAt } of automations) {
    const trigger = triggerOf(each);
    void store.create(
      {
        id,
        teamId,
        ownerId: `U-${index}`,
        channelId: 'C1',
        name: id,
        definition: { ...definition, ...limitsOf(each), trigger },
        nextAt: trigger.kind === 'schedule' ? nextTime(trigger, createdAt) : null,
        createdAt,
      },
      'U1',
    );
  }
  const gone = new Set<string>();
  const denied = new Set<string>();
  const wanted: WantedStart[] = [];
  const onSince = new Map<string, number>();
  const placeDeps = {
    scheduler,
    random,
    database,
    planOf: (id: string) => automations.find((each) => each.id === id)?.plan ?? neverPlanned(id),
    gone,
    denied,
    wanted,
    offForMs: (id: string) =>
      database.on().includes(id) ? 0 : scheduler.sinceStartMs - (onSince.get(id) ?? 0),
    log,
  };
  const follow = createFollowing(placeDeps);
  const start = (owner: Owner): SimulatedBot => startBot(owner, placeDeps, logger);
  const replicas = createReplicas({ scheduler, faults: plan.faults, start, log });
  const idOf = (automation: number) => automations[automation]?.id ?? '';
  const events = createAutomationEvents({ scheduler, random, replicas, idOf, gone, log });
  events.plan(plan.arrivals, plan.acts);
  replicas.startAll(plan.replicas);
  const isIdle = () => !events.isWaiting() && database.isIdle();
  const runUntil = async (ms: number) => {
    while (await scheduler.step(startedAt + ms));
    follow();
    for (const id of database.on()) onSince.set(id, scheduler.sinceStartMs);
  };
  while (scheduler.sinceStartMs < busyMs) await runUntil(scheduler.sinceStartMs + pollEveryMs);
  log('schedules end');
  const endedAt = scheduler.nowMs;
  database.endSchedules();
  while (scheduler.sinceStartMs < busyMs + mostCalmMs && !isIdle())
    await runUntil(scheduler.sinceStartMs + pollEveryMs);
  replicas.abandon();
  const world = {
    plan,
    database,
    automations,
    firings: readStoredFirings(database),
    handled: events.handled,
    wanted,
    denied,
    startedAt,
    endedAt,
    isIdle: isIdle(),
  };
  for (const firing of world.firings) log(JSON.stringify(firing));
  return {
    findings: Object.entries(automationInvariants).flatMap(([promise, find]) =>
      [...find(world)].map((about) => ({ promise, about })),
    ),
    events: scheduler.events,
    endedMs: scheduler.sinceStartMs,
    log: lines,
    hash: createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
}

const definition = {
  prompt: 'Look',
  title: '',
  preset: null,
  config: {},
  show: 'message',
} as const;

const limitsOf = ({ startsPerHour, activeRuns }: AutomationPlan) => ({ startsPerHour, activeRuns });

function triggerOf({ kind, schedule, overlap }: AutomationPlan): Trigger {
  if (schedule) {
    const { cron, timeZone } = schedule;
    return { kind: 'schedule', cron, timeZone, overlap };
  }
  if (kind === 'message') return { kind, text: '', people: [], bots: [], onlyBots: false };
  if (kind === 'reaction') return { kind, emoji: 'eyes' };
  return { kind: 'webhook', sender: 'bearer', filter: [] };
}

/** Starts the workers of a bot, with the real store. */
function startBot(owner: Owner, place: PlaceDeps, logger: Logger): SimulatedBot {
  const db = place.database.open();
  const model = createSimulatedPlace(owner, place);
  const firings = createFiringWorker({
    queue: createFiringQueue(db),
    placeOf: () => model,
    logger,
  });
  const schedules = createScheduleWorker({
    queue: createScheduleQueue(db),
    wakeFirings: () => firings.wake(),
    logger,
  });
  firings.start();
  schedules.start();
  return {
    automations: createAutomations(db),
    firings: createFirings(db),
    wake() {
      firings.wake();
      schedules.wake();
    },
  };
}

function neverPlanned(id: string): never {
  throw new Error(`${id} isn't in the plan`);
}
