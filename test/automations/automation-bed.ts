import { afterEach, beforeEach, expect } from 'vitest';
import { createLineLogger } from '../../packages/base/test/support/line-logger.ts';
import { createFiringWorker, type FiringReport } from '../../src/automations/firing-worker.ts';
import type {
  AutomationPlace,
  FiringOutcome,
  FiringQueue,
  FiringToStart,
} from '../../src/automations/port.ts';
import { createScheduleWorker } from '../../src/automations/schedule-worker.ts';
import { ownAuthority } from '../../src/requests/authority.ts';
import type { NewAutomation } from '../../src/store/automations/automation-row.ts';
import type { NewFiring } from '../../src/store/automations/firing-row.ts';
import type { Db } from '../../src/store/schema.ts';
import { createStore } from '../../src/store/store.ts';
import { anAutomation } from '../support/automations.ts';

const tables = [
  ...(['automations', 'automation_firings', 'requests', 'outbox', 'audit_entries'] as const),
] as const;

/** Answers of the place for a firing. `accept` stores the request, as Slack's part does. */
export type Start = (
  firing: FiringToStart,
  accept: () => Promise<boolean>,
) => Promise<FiringOutcome>;

const accepting: Start = async (_, accept) => {
  await accept();
  return { outcome: 'started' };
};

export type BedOptions = {
  start?: Start;
  maxStartsPerHour?: number;
  /** Changes the queue of this replica, to stop it between two writes. */
  instead?: (queue: FiringQueue) => FiringQueue;
};

/** Creates automations, and replicas that work on what fires them. */
export function useAutomations(database: () => Db) {
  const workers: { stop(): Promise<void> }[] = [];
  beforeEach(async () => {
    for (const table of tables) await database().deleteFrom(table).execute();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  const store = () => createStore(database());

  return {
    store,
    create: (changes: Partial<NewAutomation> = {}, secret?: string) =>
      store().automations.create(anAutomation(changes), 'U1', secret),

    fire: (key: string, changes: Partial<NewFiring> = {}, body?: string) =>
      store().firings.add(
        {
          automationId: 'a1',
          teamId: 'T1',
          key,
          happenedAt: Date.now(),
          fired: { kind: 'test', by: 'U1' },
          ...changes,
        },
        body,
      ),

    replica({ start = accepting, maxStartsPerHour, instead = (queue) => queue }: BedOptions = {}) {
      const { logger, lines } = createLineLogger();
      const { automating, requests } = store();
      const fired: FiringReport[] = [];
      const place: AutomationPlace = {
        maxStartsPerHour: async () => maxStartsPerHour,
        start: (firing) =>
          start(firing, () =>
            requests.accept({
              id: firing.requestId,
              teamId: 'T1',
              creatorId: firing.automation.ownerId,
              authority: ownAuthority(firing.automation.ownerId),
              channelId: firing.automation.channelId,
              title: firing.automation.name,
              prompt: firing.automation.definition.prompt,
              config: {},
              origin: {
                kind: 'automation',
                automation: {
                  id: firing.automation.id,
                  name: firing.automation.name,
                  firingId: firing.firing.id,
                  trigger: firing.firing.content.fired.kind,
                },
              },
              acceptedAt: Date.now(),
            }),
          ),
      };
      const reports = { onFired: (report: FiringReport) => void fired.push(report) };
      const firings = createFiringWorker({
        queue: instead(automating.firings),
        placeOf: () => place,
        reports,
        logger,
      });
      const schedules = createScheduleWorker({
        queue: automating.schedules,
        wakeFirings: () => firings.wake(),
        reports,
        logger,
      });
      workers.push(firings, schedules);
      firings.start();
      schedules.start();
      return { firings, schedules, fired, lines };
    },

    /** Returns the firings, oldest first, as `key: state (reason)`. */
    async history(automationId = 'a1'): Promise<string[]> {
      const viewer = { teamId: 'T1', userId: 'U1' };
      const entries = await store().firings.history(viewer, automationId, { limit: 2_000 });
      return entries
        .toReversed()
        .map(({ firing: { id, state, reason } }) =>
          [`${id.slice(automationId.length + 1)}: ${state}`, reason].filter(Boolean).join(', '),
        );
    },

    requests: async () =>
      (await database().selectFrom('requests').select('id').orderBy('id').execute()).map(
        ({ id }) => id,
      ),

    moveRequests: (step: string, problem?: string) =>
      database()
        .updateTable('requests')
        .set({
          step,
          ...(problem && {
            problem_json: JSON.stringify({ code: 'rejected', message: problem, since: 1 }),
          }),
        })
        .execute(),

    /** Makes firings due as if the time of their next work had come, once one is released. */
    async makeDue() {
      const isDue = async () => {
        const { numUpdatedRows } = await database()
          .updateTable('automation_firings')
          .set({ due_at: 1 })
          .where('due_at', 'is not', null)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      };
      await expect.poll(isDue, { timeout: 10_000, interval: 20 }).toBe(true);
    },
  };
}
