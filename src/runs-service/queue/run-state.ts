/** Every transition of a run. */
const transitions = {
  QUEUED: ['INPROGRESS', 'CANCELLED', 'FAILED'],
  INPROGRESS: ['BLOCKED', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
  /** The agent waits for an answer. */
  BLOCKED: ['INPROGRESS', 'SUCCEEDED', 'FAILED', 'CANCELLED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<string, readonly string[]>;

export type ServiceRunState = keyof typeof transitions;

export const serviceRunStates = Object.keys(transitions) as ServiceRunState[];

/** The states with a transition to `to`. */
export function statesBefore(to: ServiceRunState): ServiceRunState[] {
  return serviceRunStates.filter((from) => (transitions[from] as readonly string[]).includes(to));
}

export function hasEnded(state: string): boolean {
  return state in transitions && transitions[state as ServiceRunState].length === 0;
}
