import { sleep } from 'base/sleep';
import { sql } from 'kysely';
import { updateMany } from '../src/store/requests/lock-order.ts';
import type { Db } from '../src/store/schema.ts';

/** Time without progress after which it gives up, in ms. Quiet runs are checked about once a minute. */
const noProgressMs = 150_000;

/** Time for calls that a fault delayed, in ms. */
const inFlightMs = 5_000;

/** Upper bound of every backoff, in ms. */
const longestBackoffMs = 75_000;

/**
 * Waits until no request, post or delivery has work left. Call it when the faults are over.
 * @returns the IDs of stuck requests
 */
export async function untilIdle(db: Db): Promise<string[]> {
  const calmSince = Date.now();
  let deadlineMs = calmSince + noProgressMs;
  let fewest = Number.POSITIVE_INFINITY;
  for (let looks = 0; ; looks += 1) {
    if (looks % 12 === 0) await skipBackoffs(db);
    if (Date.now() > calmSince + inFlightMs) await skipFinalSearches(db);
    // Read in the order of processing, so that nothing moves between two queries unseen.
    const arrived = await db
      .selectFrom('inbox')
      .select('id')
      .where('handled_at', 'is', null)
      .where('waits_until', 'is', null)
      .execute();
    const requests = await db
      .selectFrom('requests')
      .select('id')
      .where((row) =>
        row.or([
          row('step', 'in', ['accepted', 'posted', 'following']),
          row('due_at', 'is not', null),
          row('lease_owner', 'is not', null),
        ]),
      )
      .execute();
    const posts = await db
      .selectFrom('outbox')
      .select('id')
      .where((row) => row.or([row('due_at', 'is not', null), row('lease_owner', 'is not', null)]))
      // Leave out reminders, because they wait for half the time of questions that were answered long before.
      .where('id', 'not like', '% warning %')
      .execute();
    const rows = [...arrived, ...requests, ...posts];
    if (rows.length < fewest) {
      fewest = rows.length;
      deadlineMs = Date.now() + noProgressMs;
    }
    if (rows.length === 0 || Date.now() > deadlineMs) return rows.map(({ id }) => id);
    await sleep(250);
  }
}

/**
 * Makes work that failed during the faults due now, instead of up to a minute later. Work that waits longer than any
 * backoff keeps waiting and is reported as stuck.
 */
async function skipBackoffs(db: Db): Promise<void> {
  const now = Date.now();
  await updateMany(db, (requests) =>
    requests
      .where('lease_owner', 'is', null)
      .where('due_at', '>', now)
      .where('due_at', '<', now + longestBackoffMs),
  )
    .set({ due_at: now })
    .execute();
  for (const table of ['connections', 'outbox', 'inbox'] as const)
    await db
      .updateTable(table)
      .set({ due_at: now })
      .where('lease_owner', 'is', null)
      .where('due_at', '>', now)
      .where('due_at', '<', now + longestBackoffMs)
      .execute();
}

/**
 * Makes the final search for duplicates due now, because no delayed post can arrive anymore. It would be due half a
 * minute after an uncertain post.
 */
async function skipFinalSearches(db: Db): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      suspected_at: sql`suspected_at - 30000`,
      check_at: sql`check_at - 30000`,
      due_at: sql`check_at - 30000`,
    })
    .where('state', '<>', 'waiting')
    .where('lease_owner', 'is', null)
    // `due_at` is by PostgreSQL's clock, the rest by ours.
    .where(sql<boolean>`abs(due_at - check_at) < 1000`)
    .where(sql<boolean>`check_at = suspected_at + 30000`)
    .where('check_at', '>', Date.now())
    .execute();
}
