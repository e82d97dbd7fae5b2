import { LeasedWork } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { dueTimes, nextLook } from 'base/schedule/cron';
import type { AutomationReports } from './firing-worker.ts';
import type { LeasedAutomation, ScheduleQueue } from './port.ts';

type ScheduleWorkerDeps = {
  queue: ScheduleQueue;
  wakeFirings(): void;
  reports?: AutomationReports | undefined;
  logger: Logger;
};

export type ScheduleWorker = LeasedWork<LeasedAutomation, undefined>;

/** Time after which another replica takes over the schedules of one that was killed, in ms. */
const leaseMs = 5_000;
const atOnce = 50;

/** Creates the worker that stores the firings of schedules at their due times. */
export const createScheduleWorker = ({
  queue,
  wakeFirings,
  reports,
  logger,
}: ScheduleWorkerDeps): ScheduleWorker =>
  new LeasedWork({
    what: 'schedule',
    leases: queue,
    atOnce,
    leaseMs,
    task: (automation) => ({
      async run() {
        const { definition, nextAt } = automation;
        const { trigger } = definition;
        if (trigger.kind !== 'schedule' || nextAt === null) return null;
        const due = dueTimes(trigger, nextAt, Date.now());
        const lookAt = nextLook(due.nextAt, Date.now());
        const isDue = due.fireAt !== undefined || due.missed !== undefined;
        if (!isDue && due.nextAt === nextAt) return lookAt;
        if (!(await queue.fire(automation, due))) return null;
        if (due.fireAt !== undefined) wakeFirings();
        if (due.missed) reports?.onFired?.({ trigger: 'schedule', outcome: 'missed' });
        return lookAt;
      },
      changes: () => undefined,
    }),
    onWork: reports?.onWork,
    logger,
  });
