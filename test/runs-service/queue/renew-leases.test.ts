import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { RunQueue, type RunQueueOptions } from '../../../src/runs-service/queue/run-queue.ts';
import type { Db } from '../../../src/store/schema.ts';
import { createServiceRunQueue } from '../../../src/store/service/runs/service-run-queue.ts';
import { createServiceRuns } from '../../../src/store/service/runs/service-runs.ts';
import {
  createPostgresDatabase,
  describeOnEveryDatabase,
} from '../../support/database/databases.ts';
import { openTestDatabase } from '../../support/database/test-key.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';

/** Nothing here takes long enough for a third of it to be over. */
const leaseMs = 3_600_000;
const lease = (forMs: number) => ({ state: 'INPROGRESS', lease: { owner: 'me', forMs } }) as const;

async function runHeldFor(db: Db, forMs: number): Promise<string> {
  const runs = createServiceRuns(db);
  const { id } = await runs.create(aServiceRun());
  await runs.change(id, ['QUEUED'], lease(forMs));
  return id;
}

const heldUntil = async (db: Db, id: string) =>
  (await createServiceRuns(db).get(id))?.lease_until ?? 0;

describeOnEveryDatabase('leases of runs', (db) => {
  it('are renewed when a third of their time is over', async () => {
    const [fresh, older] = [await runHeldFor(db(), leaseMs), await runHeldFor(db(), leaseMs / 2)];
    const [freshUntil, olderUntil] = [await heldUntil(db(), fresh), await heldUntil(db(), older)];
    await createServiceRunQueue(db()).renewLeases('me', leaseMs);
    expect(await heldUntil(db(), fresh)).toBe(freshUntil);
    expect(await heldUntil(db(), older)).toBeGreaterThan(olderUntil + leaseMs / 4);
  });
});

it('on PostgreSQL, a run that is being changed keeps no other lease from being renewed', async () => {
  const db = await openTestDatabase(await createPostgresDatabase());
  onTestFinished(() => db.destroy());
  const [changing, other] = [await runHeldFor(db, leaseMs / 2), await runHeldFor(db, leaseMs / 2)];
  const until = await heldUntil(db, other);
  const queue = createServiceRunQueue(db);
  await db.transaction().execute(async (trx) => {
    await sql`update service_runs set title = 'changing' where id = ${changing}`.execute(trx);
    await queue.renewLeases('me', leaseMs);
  });
  expect(await heldUntil(db, other)).toBeGreaterThan(until + leaseMs / 4);
  expect(await heldUntil(db, changing)).toBeLessThan(until + leaseMs / 4);
  await queue.renewLeases('me', leaseMs);
  expect(await heldUntil(db, changing)).toBeGreaterThan(until + leaseMs / 4);
});

it('leases are renewed while a round of the queue waits for the database', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const renewLeases = vi.fn(async () => undefined);
  let answer = () => {};
  const groups = () =>
    new Promise((resolve) => {
      answer = () => resolve([]);
    });
  const queue = new RunQueue({
    owner: 'me',
    concurrency: 1,
    strandedAfterMs: 0,
    logger: createLogger('silent'),
    environments: () => [{ id: 'e' }],
    queue: { going: async () => [], groups, renewLeases },
    dispatches: { of: async () => [] },
  } as unknown as RunQueueOptions);
  queue.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewLeases.mock.calls.length).toBeGreaterThan(10);
  const stopped = queue.stop();
  answer();
  await stopped;
});
