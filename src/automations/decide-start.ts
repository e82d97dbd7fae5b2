import type { Automation } from './automation.ts';
import type { Firing } from './firing.ts';

/** Facts that decide if a firing starts a run, as read in one transaction. Times are epoch ms. */
export type StartFacts = {
  automation: Automation | undefined;
  firing: Firing;
  now: number;
  /** Number of times that the firing was postponed or failed. */
  failures: number;
  /** True if the firing's request is accepted already. */
  isAccepted: boolean;
  /** Max starts an hour, by the automation and the rules. */
  startsPerHour: number;
  /** Number of other firings in the last hour that were counted. */
  startsInHour: number;
  /** Number of the automation's requests that haven't ended. */
  activeRuns: number;
  /** IDs of the requests that other firings are about to start. */
  begunRequests: readonly string[];
  /** True if an earlier due time waits for the last run. */
  hasEarlierWaiting: boolean;
};

export type StartDecision =
  | { decision: 'start' | 'already started' }
  | { decision: 'end'; state: 'skipped' | 'missed'; reason: string }
  | { decision: 'wait'; againAt: number };

/** Time after which a due time is too late, and after which a start that keeps failing is given up, in ms. */
const lateMs = 60 * 60_000;
const hourMs = 60 * 60_000;
/** Time after which nothing starts anymore, whatever kept the firing waiting, in ms. */
const mostWaitMs = 24 * hourMs;
/** Number of tries before a start is given up, so that an outage of this app alone gives up nothing. */
const leastTries = 5;
const queueCheckMs = 10_000;
const sameRequestCheckMs = 1_000;

const skip = (reason: string): StartDecision => ({ decision: 'end', state: 'skipped', reason });
const miss = (reason: string): StartDecision => ({ decision: 'end', state: 'missed', reason });

/** Decides what happens to a firing. A request that was accepted before a crash counts as started. */
export function decideStart(facts: StartFacts): StartDecision {
  const { automation, firing, now, failures } = facts;
  const { fired } = firing.content;
  if (facts.isAccepted) return { decision: 'already started' };
  if (!automation) return skip('The automation was deleted.');
  if (automation.pause) return skip('The automation is paused.');
  const { trigger } = automation.definition;
  if (fired.kind !== 'test' && fired.kind !== trigger.kind)
    return skip('The automation has another trigger now.');
  if (now - firing.happenedAt > mostWaitMs)
    return miss('Nothing could be started within a day, so it was too late.');
  if (firing.countedAt !== null) {
    const isGivenUp = failures >= leastTries && now - firing.countedAt > lateMs;
    return isGivenUp ? miss('Nothing could be started for an hour.') : { decision: 'start' };
  }
  const isQueued = trigger.kind === 'schedule' && trigger.overlap === 'queue';
  if (fired.kind === 'schedule' && !isQueued && now - firing.happenedAt > lateMs)
    return miss("The app wasn't running for an hour.");
  if (firing.requestId !== null && facts.begunRequests.includes(firing.requestId))
    return { decision: 'wait', againAt: now + sameRequestCheckMs };
  return withinLimits(facts, automation);
}

function withinLimits(facts: StartFacts, { definition }: Automation): StartDecision {
  const { firing, now, startsPerHour, startsInHour, begunRequests } = facts;
  const { trigger } = definition;
  const activeRuns = facts.activeRuns + begunRequests.length;
  if (trigger.kind === 'schedule' && firing.content.fired.kind === 'schedule' && activeRuns > 0) {
    if (trigger.overlap === 'skip') return skip('The last run is still in progress.');
    if (facts.hasEarlierWaiting) return skip('An earlier start is waiting for the last run.');
    return { decision: 'wait', againAt: now + queueCheckMs };
  }
  if (startsInHour >= startsPerHour)
    return skip(
      `Limit of ${startsPerHour} ${startsPerHour === 1 ? 'start' : 'starts'} an hour reached.`,
    );
  const { activeRuns: most } = definition;
  if (activeRuns >= most)
    return skip(`Limit of ${most} active ${most === 1 ? 'run' : 'runs'} reached.`);
  return { decision: 'start' };
}

/** Returns the time from which starts count against the hourly limit. */
export const hourBefore = (now: number): number => now - hourMs;
