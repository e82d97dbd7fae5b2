import type { Random } from '../../random.ts';
import { type KnownSchedule, type Moment, moments } from './moments.ts';

/** An automation. Arrivals fire it, unless it has a schedule. */
export type AutomationPlan = {
  kind: 'schedule' | 'webhook' | 'message' | 'reaction';
  schedule: KnownSchedule | undefined;
  overlap: 'skip' | 'queue';
  startsPerHour: number;
  activeRuns: number;
  /** Time between its creation and the start of the first bot, in which nothing ran. */
  outageMs: number;
  /** Duration of a run, in ms. */
  runMs: number;
  /** `rejected`: no run can be started. `not_started`: the runs service rejects each run later. */
  starts: 'work' | 'rejected' | 'not_started';
};

/** Something that fires an automation: a delivery, message or reaction, which can arrive again. */
export type Arrival = {
  automation: number;
  atMs: number;
  key: string;
  /** Key of the run. The reactions of several people to a message have the same. */
  startKey: string;
  /** Times after the first arrival at which it arrives again, in ms. */
  againMs: number[];
};

export type Act = {
  automation: number;
  atMs: number;
  act: 'pause' | 'resume' | 'remove' | 'edit' | 'leave';
};

export type AutomationsFault =
  | { type: 'crash'; replica: number; atStep: number; downMs: number }
  | { type: 'freeze'; replica: number; atStep: number; ms: number }
  | { type: 'clock'; replica: number; atMs: number; byMs: number };

export type AutomationsPlan = {
  seed: number;
  moment: Moment;
  replicas: number;
  automations: AutomationPlan[];
  arrivals: Arrival[];
  acts: Act[];
  faults: AutomationsFault[];
};

const minuteMs = 60_000;
/** Time in which things arrive, people act and processes crash. */
const busyMs = 4 * minuteMs;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export function makeAutomationsPlan(seed: number, random: Random): AutomationsPlan {
  const moment = random.pick(moments);
  const replicas = random.pick([1, 2, 2]);
  const automations = [
    ...moment.schedules.map((schedule) => makeAutomation('schedule', schedule, random)),
    ...times(random.between(0, 2), () =>
      makeAutomation(random.pick(['webhook', 'message', 'reaction']), undefined, random),
    ),
  ];
  return {
    seed,
    moment,
    replicas,
    automations,
    arrivals: automations.flatMap(({ kind }, index) =>
      kind === 'schedule' ? [] : makeArrivals(index, kind, random),
    ),
    acts: times(random.pick([0, 0, 1, 2, 3]), () => ({
      automation: random.below(automations.length),
      atMs: actAtMs(random),
      act: random.pick(['pause', 'pause', 'resume', 'remove', 'edit', 'leave']),
    })),
    faults: times(random.pick([0, 1, 1, 2, 3]), () => makeFault(replicas, random)),
  };
}

/** Returns a time of an act, often that of a full minute, when schedules are due. The moments begin 30 s before one. */
const actAtMs = (random: Random) =>
  random.chance(0.4)
    ? minuteMs / 2 + minuteMs * random.below(4) + random.below(3)
    : random.below(busyMs);

function makeAutomation(
  kind: AutomationPlan['kind'],
  schedule: KnownSchedule | undefined,
  random: Random,
): AutomationPlan {
  return {
    kind,
    schedule,
    overlap: random.pick(['skip', 'queue']),
    startsPerHour: random.pick([2, 4, 20]),
    activeRuns: random.pick([1, 3]),
    outageMs: random.pick([0, 0, 90_000, 20 * minuteMs, 160 * minuteMs]),
    runMs: random.pick([2_000, 30_000, 100_000]),
    starts: random.pick(['work', 'work', 'work', 'work', 'rejected', 'not_started']),
  };
}

function makeArrivals(automation: number, kind: AutomationPlan['kind'], random: Random): Arrival[] {
  const burstAtMs = random.chance(0.5) ? random.below(busyMs) : undefined;
  return times(random.pick([1, 4, 12]), (index) => {
    const id = `${kind} ${automation}.${index}`;
    // Several people react to the same message.
    const startKey = kind === 'reaction' ? `message ${Math.floor(index / 3)}` : id;
    return {
      automation,
      atMs: burstAtMs === undefined ? random.below(busyMs) : burstAtMs + random.below(300),
      key: id,
      startKey,
      againMs: times(random.pick([0, 0, 1, 2]), () => random.pick([5, 900, 20_000])),
    };
  });
}

function makeFault(replicas: number, random: Random): AutomationsFault {
  const replica = random.below(replicas);
  const kind = random.next();
  if (kind < 0.6)
    return {
      type: 'crash',
      replica,
      atStep: random.below(random.pick([20, 100, 300])),
      downMs: random.pick([200, 4_000, 90_000]),
    };
  if (kind < 0.8)
    return {
      type: 'freeze',
      replica,
      atStep: random.below(200),
      ms: random.pick([2_000, 12_000, 70_000]),
    };
  return {
    type: 'clock',
    replica,
    atMs: random.below(busyMs),
    byMs: random.pick([-600_000, -61_000, 61_000, 600_000]),
  };
}

export const describeAutomationsPlan = (plan: AutomationsPlan): string[] => [
  `automations of seed ${plan.seed}: ${plan.replicas} replicas, ${plan.moment.name}, from ${plan.moment.startsAt}`,
  ...plan.automations.map((each, index) => `  automation ${index}: ${JSON.stringify(each)}`),
  ...plan.arrivals.map((each) => `  arrives: ${JSON.stringify(each)}`),
  ...plan.acts.map((each) => `  act: ${JSON.stringify(each)}`),
  ...plan.faults.map((each) => `  ⚡ ${JSON.stringify(each)}`),
];
