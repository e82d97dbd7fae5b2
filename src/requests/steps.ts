/**
 * The steps of a request.
 *
 *     accepted ───▶ posted ───▶ following ───▶ ended
 *        │           │  ▲           │
 *        │           │  │ Try again │ while the run continues
 *        ▼           ▼  │           ▼
 *      ended      not_started    following ◀─── ended
 *                                       Resume updates
 *
 * accepted: stored, and its run message is planned. posted: its run message is in Slack, or waits for Slack's limits.
 * following: its run exists. ended: the run ended, or can't be followed anymore. not_started: no run was created.
 *
 * A request goes from posted to ended at once in two cases: its run was found already ended, or the request was
 * canceled before there was a run. A request goes from accepted to ended if its message can't be posted anywhere. A
 * request goes back from ended to following only if its service knows the run again.
 */
const moves = {
  accepted: ['posted', 'ended'],
  posted: ['following', 'ended', 'not_started'],
  following: ['following', 'ended'],
  ended: ['following'],
  not_started: ['posted'],
} as const satisfies Record<string, readonly string[]>;

export type RequestStep = keyof typeof moves;

const allSteps: ReadonlySet<string> = new Set(Object.keys(moves));

/** Steps that this version knows. A newer version may have stored others. */
export const requestSteps = Object.keys(moves).filter(isRequestStep);

/** Steps of a request that hasn't ended. */
export const liveSteps: readonly RequestStep[] = ['accepted', 'posted', 'following'];

export function isRequestStep(step: string): step is RequestStep {
  return allSteps.has(step);
}

export const canTransition = (from: RequestStep, to: RequestStep): boolean =>
  moves[from].some((step) => step === to);

/** @throws if the transition doesn't exist, which is a bug, so that nothing is written */
export function assertTransition(from: RequestStep, to: RequestStep): void {
  if (!canTransition(from, to)) throw new Error(`a request does not go from ${from} to ${to}`);
}
