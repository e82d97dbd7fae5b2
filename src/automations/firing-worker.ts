import { type DueAt, LeasedWork, type LeasedWorkReport } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { parseJson } from 'base/parse-json';
import type { Automation } from './automation.ts';
import { matches } from './filter.ts';
import type { Firing } from './firing.ts';
import type {
  AutomationPlace,
  FiringChanges,
  FiringQueue,
  LeasedFiring,
  Settlement,
} from './port.ts';

/** An end of a firing, for metrics. */
export type FiringReport = { trigger: string; outcome: Settlement['state'] };

/** Called with what the workers did. */
export type AutomationReports = {
  onWork?(work: LeasedWorkReport): void;
  onFired?(firing: FiringReport): void;
};

type FiringWorkerDeps = {
  queue: FiringQueue;
  placeOf(teamId: string): AutomationPlace | Promise<AutomationPlace>;
  reports?: AutomationReports | undefined;
  logger: Logger;
};

export type FiringWorker = LeasedWork<LeasedFiring, FiringChanges>;

/** Time after which another replica takes over the firings of one that was killed, in ms. */
const leaseMs = 10_000;
const atOnce = 20;

const decideAgainMs = 500;

/** Times of the checks if a run was started, in ms after the firing was counted. Later checks are a minute apart. */
const firstChecksMs = [5_000, 20_000];
const checkEveryMs = 60_000;
const checkedForMs = 20 * 60_000;

/** Creates the worker that decides about firings, starts their runs, and notes which ones couldn't be started. */
export function createFiringWorker(deps: FiringWorkerDeps): FiringWorker {
  const { queue, reports, logger } = deps;
  return new LeasedWork({
    what: 'automation',
    leases: queue,
    atOnce,
    leaseMs,
    task(firing) {
      let failures = firing.failures + 1;
      return {
        async run(signal) {
          if (firing.state === 'started') return checkStart(deps, firing);
          if (firing.state !== 'waiting') return null;
          const next = await decide(deps, firing, signal);
          if (!next.isPostponed) failures = 0;
          return next.dueAt;
        },
        changes: () => ({ failures }),
      };
    },
    onWork: reports?.onWork,
    logger,
  });
}

type Next = { dueAt: DueAt; isPostponed?: boolean };

/** Decides about a firing, and starts its run. */
async function decide(
  { queue, placeOf, reports }: FiringWorkerDeps,
  firing: LeasedFiring,
  signal: AbortSignal,
): Promise<Next> {
  const trigger = firing.content.fired.kind;
  const end = async (settlement: Settlement, dueAt: DueAt = null): Promise<Next> => {
    // The automation was paused or changed while its run was being started, so decide again.
    if (!(await queue.settle(firing, settlement)))
      return { dueAt: Date.now() + decideAgainMs, isPostponed: true };
    reports?.onFired?.({ trigger, outcome: settlement.state });
    return { dueAt };
  };
  const known = await queue.read(firing);
  const payload = known.body === undefined ? undefined : parseJson(known.body);
  if (known.automation && !passesFilter(firing, known.automation, payload))
    return end({ state: 'unmatched', reason: null });
  const place = await placeOf(firing.teamId);
  const most = known.automation && (await place.maxStartsPerHour(known.automation));
  const { automation, decision } = await queue.begin(firing, most);
  const started = () => end({ state: 'started', reason: null }, nextCheckAt(firing, Date.now()));
  switch (decision.decision) {
    case 'wait':
      return { dueAt: decision.againAt };
    case 'end':
      return end({ state: decision.state, reason: decision.reason });
    case 'already started':
      return started();
    case 'start':
      break;
  }
  const { requestId } = firing;
  if (!automation || requestId === null) throw new Error(`${firing.id} has nothing to start`);
  const result = await place.start({ automation, firing, requestId, payload }, signal);
  if (result.outcome === 'started') return started();
  if (result.outcome === 'later') return { dueAt: result.againAt, isPostponed: true };
  const { outcome, sentence: reason } = result;
  if (outcome === 'not allowed') return end({ state: 'failed', reason, ownerPause: reason });
  return end({ state: outcome, reason });
}

function passesFilter(firing: Firing, { definition }: Automation, payload: unknown): boolean {
  const { trigger } = definition;
  const isDelivery = firing.content.fired.kind === 'webhook' && trigger.kind === 'webhook';
  return !isDelivery || matches(trigger.filter, payload);
}

/** Checks if the run was really started, because it may turn out later that it can't be. */
async function checkStart(
  { queue, reports }: FiringWorkerDeps,
  firing: LeasedFiring,
): Promise<DueAt> {
  const state = await queue.readStart(firing);
  if (state === 'starting') return nextCheckAt(firing, Date.now());
  if (state === 'running or over') {
    await queue.confirmStart(firing);
    return null;
  }
  await queue.settle(firing, { state: 'failed', reason: state.notStarted });
  reports?.onFired?.({ trigger: firing.content.fired.kind, outcome: 'failed' });
  return null;
}

/** Returns the time of the next check. Null after the last one, and for a firing that shares another one's run. */
function nextCheckAt({ countedAt }: Firing, now: number): DueAt {
  if (countedAt === null || now - countedAt > checkedForMs) return null;
  const next = firstChecksMs.find((ms) => countedAt + ms > now);
  return next === undefined ? now + checkEveryMs : countedAt + next;
}
