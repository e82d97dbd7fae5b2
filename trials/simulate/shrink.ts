import type { Plan } from './plan.ts';
import type { SeedResult } from './simulate-seed.ts';

type Failed = { plan: Plan; result: SeedResult };

/** Removes everything that isn't needed to break the same promise: faults, then acts, the second replica and events. */
export async function shrink(
  plan: Plan,
  result: SeedResult,
  run: (plan: Plan) => Promise<SeedResult>,
): Promise<Failed> {
  const broken = new Set(result.findings.map(({ promise }) => promise));
  let smallest: Failed = { plan, result };
  for (;;) {
    const smaller = await findSmaller(smallest.plan);
    if (!smaller) return smallest;
    smallest = smaller;
  }

  async function findSmaller(from: Plan): Promise<Failed | undefined> {
    for (const each of smallerPlans(from)) {
      const tried = await run(each);
      if (tried.findings.some(({ promise }) => broken.has(promise)))
        return { plan: each, result: tried };
    }
    return undefined;
  }
}

function* smallerPlans(plan: Plan): Generator<Plan> {
  const { acts, faults } = plan;
  for (const left of faults) yield { ...plan, faults: faults.filter((each) => each !== left) };
  // Remove a start with all acts on its run, because they need it.
  for (const { run } of acts.filter((act) => 'fate' in act))
    yield { ...plan, acts: acts.filter((each) => each.run !== run) };
  for (const left of acts.filter((act) => !('fate' in act)))
    yield { ...plan, acts: acts.filter((each) => each !== left) };
  if (plan.replicas > 1) {
    const ofFirst = faults.filter((fault) => !('replica' in fault) || fault.replica === 0);
    yield { ...plan, replicas: 1, faults: ofFirst };
  }
  if (plan.workspaces > 1) yield { ...plan, workspaces: 1 };
  if (plan.hasEvents) yield { ...plan, hasEvents: false };
}
