import { type Budget, createBudget } from './body/budget.ts';
import type { RunAccess } from './run-access.ts';

const maxCalls = 16;
const maxBodyBytes = 64 * 1024 * 1024;
const maxHeldBytes = 16 * 1024 * 1024;
const maxStates = 2_000;

/** State that the calls of one run share in this process. */
export type RunState = {
  slots: Budget;
  bodyBytes: Budget;
  /** Memory for the bodies of calls that wait at a cap. */
  heldBytes: Budget;
  /** Results of the calls in progress. */
  calls: Set<Promise<void>>;
  /** Notes that the run's timeline has, because each is added once. */
  notes: Set<string>;
};

/** Creates a function that returns the state of a run. States of runs without calls are forgotten. */
export function createRunStates() {
  const states = new Map<string, RunState>();
  return {
    of({ runId }: Pick<RunAccess, 'runId'>): RunState {
      const known = states.get(runId);
      if (known) return known;
      if (states.size >= maxStates)
        for (const [id, { calls }] of states) if (calls.size === 0) states.delete(id);
      const state: RunState = {
        slots: createBudget(maxCalls),
        bodyBytes: createBudget(maxBodyBytes),
        heldBytes: createBudget(maxHeldBytes),
        calls: new Set(),
        notes: new Set(),
      };
      states.set(runId, state);
      return state;
    },
    all: () => [...states.values()],
  };
}
