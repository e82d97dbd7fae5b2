import type { Handled } from './automation-events.ts';
import type { AutomationsDatabase } from './automations-database.ts';
import type { AutomationPlan, AutomationsPlan } from './automations-plan.ts';
import { dueBetween, type KnownSchedule } from './moments.ts';
import type { WantedStart } from './simulated-place.ts';

/** A firing as it's stored. `lastAt` is set if it stands for several missed due times. */
export type StoredFiring = {
  id: string;
  automationId: string;
  state: string;
  happenedAt: number;
  lastAt: number;
  count: number;
  startKey: string;
  requestId: string | undefined;
  reason: string | undefined;
};

export type AutomationsWorld = {
  plan: AutomationsPlan;
  database: AutomationsDatabase;
  automations: readonly { id: string; index: number; plan: AutomationPlan; createdAt: number }[];
  firings: readonly StoredFiring[];
  handled: Handled;
  wanted: readonly WantedStart[];
  /** Automations whose owner wasn't allowed to start a run. */
  denied: ReadonlySet<string>;
  /** Start and end of the time in which schedules were due, in epoch ms. */
  startedAt: number;
  endedAt: number;
  isIdle: boolean;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Number of missed due times above which not all have to be counted. */
const mostCounted = 60;
/** More than the error of any clock. */
const mostSkewMs = 11 * minuteMs;

type Invariant = (world: AutomationsWorld) => Iterable<string>;
type Simulated = AutomationsWorld['automations'][number];

const actsOn = ({ plan }: AutomationsWorld, { index }: Simulated) =>
  plan.acts.filter(({ automation }) => automation === index).map(({ act }) => act);

/** Returns true if nothing can have paused or deleted the automation. An edit leaves its schedule as it was. */
const isUntouched = (world: AutomationsWorld, automation: Simulated) =>
  actsOn(world, automation).every((act) => act === 'edit') && automation.plan.starts === 'work';

function* scheduled(world: AutomationsWorld) {
  for (const automation of world.automations) {
    const { schedule } = automation.plan;
    const firings = world.firings.filter(({ automationId }) => automationId === automation.id);
    if (schedule) yield { automation, schedule, firings };
  }
}

const hasWrongClock = ({ plan }: AutomationsWorld) =>
  plan.faults.some(({ type }) => type === 'clock');

const dueUntil = (schedule: KnownSchedule, { createdAt }: Simulated, until: number) =>
  dueBetween(schedule, createdAt, until);

export const automationInvariants: Record<string, Invariant> = {
  *'all firings are decided and all runs end'({ isIdle, database }) {
    if (isIdle) return;
    for (const row of database.rows(
      'select id, state, due_at, lease_owner from automation_firings',
    ))
      if (row['due_at'] !== null) yield JSON.stringify(row);
    yield 'something is left';
  },

  *'a due time fires once or is noted as missed'(world) {
    for (const { automation, schedule, firings } of scheduled(world)) {
      // A clock that is behind may not have reached the last due times.
      const until = world.endedAt - (hasWrongClock(world) ? mostSkewMs : 5_000);
      for (const at of dueUntil(schedule, automation, world.endedAt + mostSkewMs)) {
        const by = firings.filter(({ happenedAt, lastAt }) => happenedAt <= at && at <= lastAt);
        const isLost = by.length === 0 && at <= until && isUntouched(world, automation);
        if (isLost || by.length > 1)
          yield `${new Date(at).toISOString()} of ${automation.id}: ${JSON.stringify(by)}`;
      }
    }
  },

  *'only due times fire'(world) {
    for (const { automation, schedule, firings } of scheduled(world)) {
      const due = dueUntil(schedule, automation, world.endedAt + mostSkewMs);
      for (const { happenedAt, lastAt, count, id } of firings) {
        const covered = due.filter((at) => happenedAt <= at && at <= lastAt).length;
        const isCounted = covered === count || (count >= mostCounted && count < covered);
        if (!due.includes(happenedAt) || !due.includes(lastAt) || !isCounted)
          yield `${id} stands for ${count} due times, and ${covered} were due`;
      }
    }
  },

  *'what is less than an hour late fires, and older is missed'(world) {
    if (hasWrongClock(world)) return;
    for (const { automation, schedule, firings } of scheduled(world)) {
      if (!isUntouched(world, automation)) continue;
      for (const { id, state, happenedAt, lastAt } of firings) {
        const lateMs = world.startedAt - happenedAt;
        if (state !== 'missed' && lateMs > hourMs + minuteMs) yield `${id} is ${state}`;
        const later = dueBetween(schedule, lastAt, world.startedAt);
        const isTooLate = world.startedAt - lastAt > hourMs - 2 * minuteMs;
        const isEarlier = lastAt <= world.startedAt;
        if (state === 'missed' && isEarlier && later.length === 0 && !isTooLate)
          yield `${id} was missed although nothing later was due`;
      }
    }
  },

  *'everything acknowledged is in the history'({ handled, firings, automations, plan, database }) {
    for (const { automation, key } of handled.arrived) {
      const id = automations[automation]?.id;
      if (plan.acts.some((act) => act.automation === automation && act.act === 'remove')) continue;
      const found = firings.filter((firing) => firing.id === `${id} ${key}`);
      if (found.length !== 1) yield `${key} has ${found.length} firings`;
    }
    for (const { id, state, reason } of firings) {
      const needsReason = ['skipped', 'failed'].includes(state);
      if (state === 'waiting' || (needsReason && !reason)) yield `${id} is ${state}: ${reason}`;
    }
    const orphans = database.rows(
      'select id from automation_firings where automation_id not in (select id from automations)',
    );
    for (const { id } of orphans) yield `${String(id)} belongs to no automation`;
  },

  *'what fired starts one run'({ database, firings }) {
    const requests = database.rows('select id, step, automation_id from requests');
    const removed = new Set(firings.map(({ automationId }) => automationId));
    for (const { id, step, automation_id: of } of requests) {
      const by = firings.filter(({ requestId }) => requestId === id);
      const isTold = by.some(
        ({ state }) => state === 'started' || (state === 'failed' && step === 'not_started'),
      );
      if (!isTold && removed.has(String(of))) yield `${String(id)}: ${JSON.stringify(by)}`;
    }
    const started = firings.filter(({ requestId }) => requests.some(({ id }) => id === requestId));
    for (const one of started)
      for (const other of started)
        if (
          one.startKey === other.startKey &&
          one.automationId === other.automationId &&
          one.requestId !== other.requestId
        )
          yield `${one.id} and ${other.id} have a run each`;
    for (const firing of firings)
      if (firing.state === 'started' && !requests.some(({ id }) => id === firing.requestId))
        yield `${firing.id} started nothing`;
  },

  *'nothing starts while it is paused or deleted'({ database, wanted, plan }) {
    for (const table of ['simulated_begins', 'simulated_starts'])
      for (const row of database.rows(`select * from ${table} where is_on = 0`))
        yield JSON.stringify(row);
    // A process can freeze between its last look and the start.
    const frozen = plan.faults.flatMap((fault) => (fault.type === 'freeze' ? [fault.ms] : []));
    for (const { firingId, offForMs } of wanted)
      if (offForMs > 2_000 + Math.max(0, ...frozen)) yield `${firingId}, off for ${offForMs} ms`;
  },

  *'limits hold'({ automations, database }) {
    const begins = database.rows('select * from simulated_begins');
    for (const { id, plan } of automations) {
      const own = begins.filter((begin) => begin['automation_id'] === id);
      for (const begin of own) {
        const active = Number(begin['live']) + Number(begin['begun']);
        const most = plan.schedule ? 1 : plan.activeRuns;
        if (active >= most) yield `${active} runs of ${id} were active: ${JSON.stringify(begin)}`;
        if (Number(begin['in_hour']) > plan.startsPerHour)
          yield `more starts of ${id} in an hour: ${JSON.stringify(begin)}`;
      }
    }
  },

  *'only failures and owners without permission pause it'(world) {
    for (const automation of world.automations) {
      const code = pausesOf(world, automation).at(-1)?.code;
      const acts = actsOn(world, automation);
      const failed = world.firings.filter(
        ({ automationId, state }) => automationId === automation.id && state === 'failed',
      );
      if (code === 'failures' && automation.plan.starts === 'work')
        yield `${automation.id} has paused, and its starts work`;
      if (code === 'owner' && !acts.includes('leave')) yield `${automation.id} has an owner`;
      const isLeft = acts.length === 0 && code === undefined;
      if (failed.length >= 5 && isLeft) yield `${automation.id} failed ${failed.length} times`;
      const isKept = acts.every((act) => act === 'leave' || act === 'edit');
      if (world.denied.has(automation.id) && isKept && code === undefined)
        yield `${automation.id} is on, and its owner left`;
    }
  },

  *'a pause is told once to the owner and once in the channel'(world) {
    const posts = world.database.rows(`select id from outbox where kind = 'automation-notice'`);
    for (const automation of world.automations) {
      const own = posts.filter(({ id }) => String(id).includes(automation.id));
      const pauses = pausesOf(world, automation).filter(({ code }) => code !== 'person');
      if (own.length !== pauses.length * 2)
        yield `${automation.id} paused ${pauses.length} times, with ${own.length} posts`;
    }
  },
};

function pausesOf({ database }: AutomationsWorld, { id }: Simulated): { code: string }[] {
  return database
    .rows('select * from simulated_pauses')
    .filter((row) => row['automation_id'] === id)
    .map((row) => JSON.parse(String(row['pause_json'])));
}
