import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { signal } from '../../../packages/base/test/support/signal.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

it("a replica that freezes while it stores a request doesn't block others for long", async () => {
  const url = await createPostgresDatabase();
  const [frozen, other] = [await openTestDatabase(url), await openTestDatabase(url)];
  onTestFinished(() => Promise.all([frozen.destroy(), other.destroy()]).then(() => undefined));
  const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
  const accept = (db: typeof frozen, id: string) =>
    createRequests(db).acceptWithin(
      { maxActiveRuns: 5 },
      { id, ...asked, authority: ownAuthority('U1'), config: {}, acceptedAt: Date.now() },
    );
  // This lock orders all starts of a workspace. The process that holds it has stopped sending.
  const [hasLock, lock] = signal();
  const [isAwake, wake] = signal();
  const slept = frozen.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('limits of T1'))`.execute(transaction);
    lock();
    await isAwake;
    await sql`select 1`.execute(transaction);
  });
  await hasLock;
  expect(await accept(other, 'r1')).toEqual({ outcome: 'accepted' });
  wake();
  await expect(slept).rejects.toThrow();
  expect(await accept(frozen, 'r2')).toEqual({ outcome: 'accepted' });
});
