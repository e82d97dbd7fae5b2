import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { createPostgresDatabase, openTestDatabase } from '../../support/database/databases.ts';

it("a replica skips what another is leasing, and doesn't wait for it", async () => {
  const db = await openTestDatabase(await createPostgresDatabase());
  onTestFinished(() => db.destroy());
  const asked = { teamId: 'T1', creatorId: 'U1', channelId: 'C1', prompt: 'p', title: 't' };
  for (const id of ['first', 'second'])
    await acceptDue(db, { id, ...asked, config: {}, acceptedAt: Date.now() });
  await db.transaction().execute(async (other) => {
    await sql`select 1 from requests where id = 'first' for update`.execute(other);
    const leased = await createRequestLeases(db).claim('test', 60_000, 1);
    expect(leased.map(({ id }) => id)).toEqual(['second']);
  });
});
