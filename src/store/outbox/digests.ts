import { type Selectable, sql, type UpdateObject } from 'kysely';
import { isPostgres, nowMs } from '../database/clock.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import type { DigestsTable } from '../schema-notices.ts';

export type Digests = ReturnType<typeof createDigests>;

export type DigestPlace = { teamId: string; channelId: string };
/** At which full hour of which time zone a channel gets its digest. */
export type DigestTime = { hour: number; timeZone: string };

/** A digest that is due, leased. Times are epoch milliseconds. */
export type DueDigest = DigestPlace &
  DigestTime & {
    id: string;
    version: number;
    /** The digest covers what happened since then. */
    sinceAt: number;
    /** When it was due; identifies this digest. */
    nextAt: number;
    /** When posting it began. If set, it may have been posted. */
    beganAt: number | null;
  };

/** Which channels get a daily digest. Leases work as for requests. */
export function createDigests(db: Db) {
  const idOf = ({ teamId, channelId }: DigestPlace) => `${teamId} ${channelId}`;

  async function write(
    { id, version }: Pick<DueDigest, 'id' | 'version'>,
    columns: UpdateObject<DatabaseSchema, 'digests'>,
  ): Promise<boolean> {
    const written = await db
      .updateTable('digests')
      .set(columns)
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    return written.numUpdatedRows === 1n;
  }

  return {
    async read(place: DigestPlace): Promise<DigestTime | undefined> {
      const row = await db
        .selectFrom('digests')
        .select(['hour', 'time_zone'])
        .where('id', '=', idOf(place))
        .executeTakeFirst();
      return row && { hour: row.hour, timeZone: row.time_zone };
    },

    /** The first digest covers what happens from now on. Setting the same hour again changes nothing. */
    async set(
      place: DigestPlace,
      { hour, timeZone }: DigestTime,
      at: { now: number; nextAt: number },
    ): Promise<void> {
      const changed = { hour, time_zone: timeZone, next_at: at.nextAt };
      const first = { id: idOf(place), team_id: place.teamId, channel_id: place.channelId };
      await db
        .insertInto('digests')
        .values({ ...first, ...changed, since_at: at.now, lease_until: 0 })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet({ ...changed, began_at: null, version: sql`digests.version + 1` })
            .where('digests.hour', '!=', hour),
        )
        .execute();
    },

    async remove(place: DigestPlace): Promise<void> {
      await db.deleteFrom('digests').where('id', '=', idOf(place)).execute();
    },

    /** Leases a digest that is due. */
    async claim(leaseMs: number): Promise<DueDigest | undefined> {
      const now = nowMs(db);
      let due = db
        .selectFrom('digests')
        .select('id')
        .where('next_at', '<=', now)
        .where('lease_until', '<=', now)
        .orderBy('next_at')
        .limit(1);
      if (isPostgres(db)) due = due.forUpdate().skipLocked();
      const row = await db
        .updateTable('digests')
        .set({ lease_until: sql`${now} + ${sql.lit(leaseMs)}`, version: sql`version + 1` })
        .where('id', 'in', due)
        .returningAll()
        .executeTakeFirst();
      return row && readDigest(row);
    },

    /** These answer false if the lease was lost. */
    begin: (digest: DueDigest, now: number) => write(digest, { began_at: now }),
    putOff: (digest: DueDigest, until: number) => write(digest, { lease_until: until }),
    /** This try certainly posted nothing; an earlier one may have. */
    takeBack: (digest: DueDigest, until: number) =>
      write(digest, { began_at: digest.beganAt, lease_until: until }),
    finish: (digest: DueDigest, { sinceAt, nextAt }: { sinceAt: number; nextAt: number }) =>
      write(digest, { since_at: sinceAt, next_at: nextAt, began_at: null, lease_until: 0 }),
  };
}

const readDigest = (row: Selectable<DigestsTable>): DueDigest => ({
  id: row.id,
  teamId: row.team_id,
  channelId: row.channel_id,
  hour: row.hour,
  timeZone: row.time_zone,
  version: row.version,
  sinceAt: row.since_at,
  nextAt: row.next_at,
  beganAt: row.began_at,
});
