import { randomUUID } from 'node:crypto';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import { createKeyring, type ServiceKey } from '../../../src/api/keys/keyring.ts';
import { createScheduleWorker } from '../../../src/api/schedules/schedule-worker.ts';
import type { ServiceEnvironment } from '../../../src/environments/environments.ts';
import { createKeyStore } from '../../../src/store/key-store.ts';
import type { NewSchedule } from '../../../src/store/schedule.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createStores } from '../../../src/store/stores.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

const ada = { type: 'user', uid: 'ada', display_name: 'Ada' } as const;

/** Returns a new schedule that is due every hour, on the hour. */
export function aSchedule(more: Partial<NewSchedule> = {}): NewSchedule {
  return {
    id: randomUUID(),
    name: 'Hourly',
    cron: '0 * * * *',
    timeZone: 'UTC',
    enabled: true,
    creatorUid: 'ada',
    keyUid: `user ${randomUUID()}`,
    owner: { role: 'all', creator: ada },
    updatedBy: ada,
    request: { prompt: 'Tidy up', metadata: { team: 'blue' } },
    idempotencyKey: null,
    requestHash: '',
    nextAt: null,
    ...more,
  };
}

/** Creates the stores and workers of schedules on a database. Nothing executes the runs. */
export function scheduleBed(db: Db) {
  const stores = createStores(db);
  const { schedules, runs } = stores;
  const bed = {
    schedules,
    runs,
    environments: [{ id: 'shell', command: ['true'], repositories: [] }] as ServiceEnvironment[],
    keys: [{ key: 'x'.repeat(40), role: 'all', creator: ada }] as ServiceKey[],

    /** Starts a worker, like a service process does. It stops after the test. */
    startWorker() {
      const worker = createScheduleWorker({
        schedules,
        keyring: createKeyring(bed.keys, createKeyStore(db)),
        modelCalls: stores.modelCalls,
        environments: () => bed.environments,
        onStart: () => {},
        logger: createLogger('silent'),
      });
      worker.start();
      onTestFinished(() => worker.stop());
      return worker;
    },

    /** Stores a schedule whose next due time is this, in epoch ms. */
    async add(nextAt: number, more: Partial<NewSchedule> = {}): Promise<string> {
      const stored = await schedules.create(aSchedule({ ...more, nextAt }));
      return stored?.id ?? '';
    },

    async read(id: string) {
      const found = await schedules.find(id);
      if (!found) throw new Error(`There is no schedule ${id}.`);
      return found;
    },

    /** Waits until nothing of the schedule is due. */
    async settled(id: string) {
      for (;;) {
        const found = await bed.read(id);
        if ((found.nextAt ?? Number.POSITIVE_INFINITY) > Date.now()) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },

    /** Returns the runs that a schedule has started. */
    async runsOf(id: string) {
      const all = await db.selectFrom('service_runs').selectAll().orderBy('created_at').execute();
      return all.filter(({ schedule_json: json }) => json?.includes(id));
    },

    /** Returns the result of a due time that starts a run. */
    result: (dueAt: number, nextAt: number) => ({
      run: { ...aServiceRun(), idempotency_key: `test ${randomUUID()} ${dueAt}` },
      error: undefined,
      busyError: 'busy',
      nextAt,
    }),
  };
  return bed;
}
