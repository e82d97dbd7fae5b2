import { createColumns } from 'base/database/columns';
import type { z } from 'zod';
import { hasActiveInstallation } from '../database-owner.ts';
import { owners } from '../encrypted-columns.ts';
import type { Db } from '../schema.ts';
import { digestSchema } from '../schema-outbox.ts';
import { createOutbox } from './outbox.ts';
import type { NewPost } from './outbox-row.ts';

export type Digests = ReturnType<typeof createDigests>;

export type DueDigest = z.infer<typeof digestSchema>;
type DigestPlace = Pick<DueDigest, 'teamId' | 'channelId'>;
type DigestTime = Pick<DueDigest, 'hour' | 'timeZone'>;
const columns = createColumns(digestSchema, owners);

const mostAtOnce = 20;

export function createDigests(db: Db) {
  const idOf = ({ teamId, channelId }: DigestPlace) => `${teamId} ${channelId}`;

  return {
    async read(place: DigestPlace): Promise<DigestTime | undefined> {
      const row = await db
        .selectFrom('digests')
        .select(['hour', 'time_zone'])
        .where('id', '=', idOf(place))
        .executeTakeFirst();
      return row && { hour: row.hour, timeZone: row.time_zone };
    },

    /**
     * Sets the hour of a digest. The first digest covers what happens from now on. Setting the same hour again changes
     * nothing.
     */
    async set(
      place: DigestPlace,
      { hour, timeZone }: DigestTime,
      at: { now: number; nextAt: number },
    ): Promise<void> {
      const changed = { hour, time_zone: timeZone, next_at: at.nextAt };
      const first = { id: idOf(place), team_id: place.teamId, channel_id: place.channelId };
      await db
        .insertInto('digests')
        .values({ ...first, ...changed, since_at: at.now })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(changed).where('digests.hour', '!=', hour),
        )
        .execute();
    },

    async remove(place: DigestPlace): Promise<void> {
      await db.deleteFrom('digests').where('id', '=', idOf(place)).execute();
    },

    async due(now: number): Promise<DueDigest[]> {
      const rows = await db
        .selectFrom('digests')
        .selectAll()
        .where('next_at', '<=', now)
        .where(hasActiveInstallation('digests'))
        .orderBy('next_at')
        .limit(mostAtOnce)
        .execute();
      return rows.map(columns.read);
    },

    /**
     * Plans the post of a digest and the time of the next one in a transaction. Returns false if another replica has
     * already done it.
     */
    planPost: (digest: DueDigest, next: DigestPeriod, post: NewPost): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const moved = await transaction
          .updateTable('digests')
          .set({ since_at: next.sinceAt, next_at: next.nextAt })
          .where('id', '=', digest.id)
          .where('next_at', '=', digest.nextAt)
          .executeTakeFirst();
        if (moved.numUpdatedRows === 0n) return false;
        await createOutbox(transaction).plan([post]);
        return true;
      }),
  };
}

type DigestPeriod = Pick<DueDigest, 'sinceAt' | 'nextAt'>;
