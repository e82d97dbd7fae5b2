/**
 * How far a request has come.
 *
 *     accepted ───▶ posted ───▶ following ───▶ ended
 *        │           │  ▲           │
 *        │           │  │ Try again │ as long as the run goes on
 *        ▼           ▼  │           ▼
 *      ended      not_started    following ◀─── ended
 *                                        Follow again
 *
 * accepted: stored. posted: its run message is in Slack, or waits for room there while the run is created already.
 * following: its run exists. ended: the run is over, or nothing more can be known or shown of it. not_started: no run was
 * created.
 *
 * A run that was looked for and found over takes a request from posted to ended at once; a request that finds no place
 * for its message ends before it is posted. Ended is for ever, but for a run that was no longer known to its service
 * and is known again.
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

/** Every step that this version knows; a newer one may have written others. */
export const requestSteps = Object.keys(moves).filter(isRequestStep);

/** From these a request goes on by itself. */
export const liveSteps: readonly RequestStep[] = ['accepted', 'posted', 'following'];

export function isRequestStep(step: string): step is RequestStep {
  return allSteps.has(step);
}

export const mayMove = (from: RequestStep, to: RequestStep): boolean =>
  moves[from].some((step) => step === to);

/** @throws when there is no such way: that would be a bug of ours, and nothing may be written then */
export function assertMove(from: RequestStep, to: RequestStep): void {
  if (!mayMove(from, to)) throw new Error(`a request does not go from ${from} to ${to}`);
}
