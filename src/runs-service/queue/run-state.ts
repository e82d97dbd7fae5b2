/** Every move that a run of this service can make. No state ever goes back. */
const moves = {
  QUEUED: ['INPROGRESS', 'CANCELLED', 'FAILED'],
  INPROGRESS: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<string, readonly string[]>;

export type ServiceRunState = keyof typeof moves;

export const serviceRunStates = Object.keys(moves) as ServiceRunState[];

/** The states from which `to` can be reached in one move. QUEUED → FAILED is for runs that can never start. */
export function statesBefore(to: ServiceRunState): ServiceRunState[] {
  return serviceRunStates.filter((from) => (moves[from] as readonly string[]).includes(to));
}

export function hasEnded(state: string): boolean {
  return state in moves && moves[state as ServiceRunState].length === 0;
}
