import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createQueueStore } from '../../src/store/queued-runs.ts';
import { createPostgresDatabase, openTestDatabase } from '../support/databases.ts';
import { heldUntil, leaseMs, runHeldFor } from './held-run.ts';

it('a run that is being changed keeps no other lease from being renewed', async () => {
  const db = await openTestDatabase(await createPostgresDatabase());
  onTestFinished(() => db.destroy());
  const [changing, other] = [await runHeldFor(db, leaseMs / 2), await runHeldFor(db, leaseMs / 2)];
  const until = await heldUntil(db, other);
  const queue = createQueueStore(db);
  await db.transaction().execute(async (trx) => {
    await sql`update service_runs set title = 'changing' where id = ${changing}`.execute(trx);
    await queue.renewLeases('me', leaseMs);
  });
  expect(await heldUntil(db, other)).toBeGreaterThan(until + leaseMs / 4);
  expect(await heldUntil(db, changing)).toBeLessThan(until + leaseMs / 4);
  await queue.renewLeases('me', leaseMs);
  expect(await heldUntil(db, changing)).toBeGreaterThan(until + leaseMs / 4);
});
