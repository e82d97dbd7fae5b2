import { type DueAt, LeasedWork } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { type DueTimes, dueTimes, mostCounted, nextLook } from 'base/schedule/cron';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { ModelCalls } from '../../store/model-calls.ts';
import type { NewStoredRun } from '../../store/runs.ts';
import type { Schedule } from '../../store/schedule.ts';
import type { Schedules } from '../../store/schedules.ts';
import type { Keyring } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { prepareRun } from '../runs/new-run.ts';

const leaseMs = 30_000;
const atOnce = 8;

type ScheduleWorkerDeps = {
  schedules: Schedules;
  keyring: Pick<Keyring, 'findOwner'>;
  modelCalls: Pick<ModelCalls, 'statesOf'>;
  environments: () => readonly ServiceEnvironment[];
  /** Called after a run was stored. */
  onStart: () => void;
  logger: Logger;
};

/** Creates the worker that starts the runs of schedules when they're due. */
export function createScheduleWorker(deps: ScheduleWorkerDeps) {
  return new LeasedWork<Schedule, object>({
    what: 'schedule',
    leases: deps.schedules,
    atOnce,
    leaseMs,
    logger: deps.logger,
    task: (schedule) => ({ run: () => workOn(deps, schedule), changes: () => ({}) }),
  });
}

/** Starts what is due. The store sets the next due time, in the transaction that stores the run. */
async function workOn(deps: ScheduleWorkerDeps, schedule: Schedule): Promise<DueAt> {
  const { cron, timeZone, enabled, id: scheduleId } = schedule;
  if (!enabled || schedule.nextAt === null) return null;
  const due = dueTimes({ cron, timeZone }, schedule.nextAt, Date.now());
  if (due.fireAt === undefined && due.missed === undefined) {
    // A clock that was ahead once has set a next time that is too late.
    if (due.nextAt !== schedule.nextAt)
      await deps.schedules.settle(schedule, {
        run: undefined,
        error: schedule.lastError ?? undefined,
        busyError: '',
        nextAt: due.nextAt,
      });
    return nextLook(due.nextAt, Date.now());
  }
  const prepared = due.fireAt === undefined ? {} : await prepare(deps, schedule, due.fireAt);
  const error = [prepared.problem, missedSentence(due.missed)].filter(Boolean).join(' ');
  const outcome = await deps.schedules.settle(schedule, {
    run: prepared.run,
    error: error === '' ? undefined : error,
    busyError: `No run started at ${timestamp(due.fireAt ?? 0)}, because the last one was still active.`,
    nextAt: due.nextAt,
  });
  deps.logger.info({ scheduleId, outcome, missed: due.missed?.count }, 'a schedule was due');
  if (outcome === 'started') deps.onStart();
  return null;
}

/** Prepares the run of a due time. Its key is made of the due time, so that the store can't start a second one. */
async function prepare(
  { keyring, modelCalls, environments }: ScheduleWorkerDeps,
  { id, name, cron, owner, request }: Schedule,
  dueAt: number,
): Promise<{ run?: NewStoredRun; problem?: string }> {
  const caller = await keyring.findOwner(owner.creator, owner.role);
  if (!caller) {
    const { display_name: who } = owner.creator;
    return {
      problem: `No run started at ${timestamp(dueAt)}, because ${who} has no valid API key with the role "${owner.role}". Ask the operator of this service for a new one.`,
    };
  }
  try {
    const run = await prepareRun(
      { modelCalls, environments },
      { ...request, title: name },
      { caller: { ...caller, source: 'SCHEDULED_AGENT' }, creator: caller.creator },
      `schedule:${id} ${dueAt}`,
      '',
    );
    const schedule = { schedule_id: id, schedule_name: name, cron_schedule: cron };
    return { run: { ...run, schedule_json: JSON.stringify(schedule) } };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { problem: `No run started at ${timestamp(dueAt)}. ${error.message}` };
  }
}

function missedSentence(missed: DueTimes['missed']): string | undefined {
  if (!missed) return undefined;
  const { count, firstAt, lastAt } = missed;
  const times =
    count === 1
      ? `The start at ${timestamp(firstAt)} was`
      : `${count < mostCounted ? count : `At least ${count}`} starts from ${timestamp(firstAt)} to ${timestamp(lastAt)} were`;
  return `${times} missed, because the service wasn't running.`;
}

const timestamp = (epochMs: number) => new Date(epochMs).toISOString();
