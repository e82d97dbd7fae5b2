import type { Random } from '../../random.ts';

/** A model call of an agent. Its provider bills the price, and reports it unless the response is cut. */
export type CallPlan = {
  estimateMicros: number;
  priceMicros: number;
  ms: number;
  end: 'completed' | 'cut' | 'unreported' | 'rejected';
};

export type SpendingFault =
  | { type: 'crash'; service: number; atStep: number; downMs: number; isNoticed: boolean }
  | { type: 'freeze'; service: number; atStep: number; ms: number }
  | { type: 'clock'; service: number; atMs: number; byMs: number };

/** A run. Each lane makes one call after another, and the lanes work at the same time. */
export type SpendingRun = {
  startMs: number;
  /** True if the run has the caps that it shares with other runs. Its calls count for them in any case. */
  hasSharedCaps: boolean;
  limitMicros: number;
  lanes: CallPlan[][];
};

/** Click of a person on a question about spending. Several clicks can arrive at almost the same time. */
export type Click = { afterMs: number; option: 'allow' | 'stop' };

export type SpendingPlan = {
  seed: number;
  services: number;
  sharedLimitMicros: number;
  runs: SpendingRun[];
  /** Clicks on the first question, on the second, and so on. A question without clicks runs out of time. */
  clicks: Click[][];
  faults: SpendingFault[];
};

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

export function makeSpendingPlan(seed: number, random: Random): SpendingPlan {
  const services = random.pick([1, 2, 2]);
  return {
    seed,
    services,
    sharedLimitMicros: random.between(200_000, 900_000),
    runs: times(random.between(1, 4), () => ({
      startMs: random.below(3_000),
      hasSharedCaps: random.chance(0.7),
      limitMicros: random.between(100_000, 500_000),
      lanes: times(random.between(1, 2), () => times(random.between(1, 5), () => makeCall(random))),
    })),
    clicks: times(4, () => makeClicks(random)),
    faults: times(random.pick([0, 1, 1, 2, 3]), () => makeFault(services, random)),
  };
}

function makeCall(random: Random): CallPlan {
  return {
    estimateMicros: random.between(10_000, 80_000),
    priceMicros: random.between(1_000, 200_000),
    ms: random.pick([20, 300, 2_000, 9_000]),
    end: random.pick(['completed', 'completed', 'completed', 'cut', 'unreported', 'rejected']),
  };
}

/** Clicks often twice, because the first click seems to have no effect, or because two people decide. */
function makeClicks(random: Random): Click[] {
  const click = (): Click => ({
    afterMs: random.pick([100, 110, 700, 5_000]),
    option: random.chance(0.7) ? 'allow' : 'stop',
  });
  return times(random.pick([0, 1, 1, 2, 3]), click);
}

function makeFault(services: number, random: Random): SpendingFault {
  const service = random.below(services);
  const kind = random.next();
  if (kind < 0.6)
    return {
      type: 'crash',
      service,
      atStep: random.below(random.pick([20, 60, 150])),
      downMs: random.between(100, 20_000),
      isNoticed: random.chance(0.5),
    };
  if (kind < 0.85 || services > 1)
    // Longer than the lease of a call, so that another service settles it.
    return {
      type: 'freeze',
      service,
      atStep: random.below(100),
      ms: random.pick([3_000, 65_000, 90_000]),
    };
  return {
    type: 'clock',
    service,
    atMs: random.below(5_000),
    byMs: random.between(-120_000, 120_000),
  };
}

export const describeSpendingPlan = (plan: SpendingPlan): string[] => [
  `spending of seed ${plan.seed}: ${plan.services} services, shared limit ${plan.sharedLimitMicros}`,
  ...plan.runs.map((run, index) => `  run ${index}: ${JSON.stringify(run)}`),
  ...plan.clicks.map((clicks, index) => `  question ${index + 1}: ${JSON.stringify(clicks)}`),
  ...plan.faults.map((fault) => `  ⚡ ${JSON.stringify(fault)}`),
];
