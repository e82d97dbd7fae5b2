import { sql } from 'kysely';
import { sleep } from '../src/lib/sleep.ts';
import { updateMany } from '../src/store/lock-order.ts';
import type { Db } from '../src/store/schema.ts';

/** How long nothing may get better once the trouble is over: rare looks at quiet runs come after a minute. */
const patienceMs = 150_000;

/** Longer than any call of the trouble is on its way. */
const inFlightMs = 5_000;

/** Longer than any wait before something is tried again. */
const longestBackOffMs = 75_000;

/**
 * Waits, from the end of the trouble on, until nothing is left to do for any request.
 * @returns the ids of those that come no further
 */
export async function untilQuiet(db: Db): Promise<string[]> {
  const calmSince = Date.now();
  let deadlineMs = calmSince + patienceMs;
  let fewest = Number.POSITIVE_INFINITY;
  for (let looks = 0; ; looks += 1) {
    if (looks % 12 === 0) await passTheBackOffs(db);
    if (Date.now() > calmSince + inFlightMs) await passTheLastLooks(db);
    const rows = await db
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
    if (rows.length < fewest) {
      fewest = rows.length;
      deadlineMs = Date.now() + patienceMs;
    }
    if (rows.length === 0 || Date.now() > deadlineMs) return rows.map(({ id }) => id);
    await sleep(250);
  }
}

/**
 * What failed during the trouble is tried again now: it would be anyway, up to a minute later. Only when the bot looks is
 * changed, nothing that it goes by; what waits for longer than it ever should is left waiting, and found.
 */
async function passTheBackOffs(db: Db): Promise<void> {
  const now = Date.now();
  await updateMany(db, (requests) =>
    requests
      .where('lease_owner', 'is', null)
      .where('due_at', '>', now)
      .where('due_at', '<', now + longestBackOffMs),
  )
    .set({ due_at: now })
    .execute();
  await db
    .updateTable('connections')
    .set({ next_sweep_at: now })
    .where('lease_owner', 'is', null)
    .where('next_sweep_at', '>', now)
    .where('next_sweep_at', '<', now + longestBackOffMs)
    .execute();
}

/**
 * Nothing is on its way any more: the last look for doubles, half a minute after a post in doubt, is made now. It is made
 * all the same; only the wait for what cannot come is left out.
 */
async function passTheLastLooks(db: Db): Promise<void> {
  await updateMany(db, (requests) =>
    requests
      .where('step', 'in', ['ended', 'not_started'])
      .where('lease_owner', 'is', null)
      // PostgreSQL's clock says when something is due, ours when to look.
      .where(sql<boolean>`abs(due_at - doubles_look_at) < 1000`)
      .where(sql<boolean>`doubles_look_at = doubted_at + 30000`)
      .where('doubles_look_at', '>', Date.now()),
  )
    .set({
      doubted_at: sql`doubted_at - 30000`,
      doubles_look_at: sql`doubles_look_at - 30000`,
      due_at: sql`doubles_look_at - 30000`,
    })
    .execute();
}
