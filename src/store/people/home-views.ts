import { Secret } from 'base/encryption/secret';
import type { Selectable } from 'kysely';
import { hasActiveInstallation } from '../database-owner.ts';
import type { Db, HomeViewsTable } from '../schema.ts';

export type HomeViews = ReturnType<typeof createHomeViews>;

type HomeOwner = { teamId: string; userId: string };

/** Home view of a person. Times are epoch ms. The `revision` grows with every request of the person. */
export type HomeState = HomeOwner & {
  revision: number;
  /** Cursors of the pages up to the current one. Empty on the first page. */
  cursors: string[];
  listing: { key: string; value: unknown; listedAt: number } | undefined;
  shown: string | null;
};

export function createHomeViews(db: Db) {
  const rowOf = ({ teamId, userId }: HomeOwner) =>
    db.selectFrom('home_views').where('team_id', '=', teamId).where('user_id', '=', userId);
  const change = ({ teamId, userId }: HomeOwner) =>
    db.updateTable('home_views').where('team_id', '=', teamId).where('user_id', '=', userId);

  return {
    /** Records that the person opened their Home tab or requested another page of it. */
    async look(
      owner: HomeOwner,
      { cursors, activeUntil, refreshAt, isBlank }: LookedAt,
    ): Promise<HomeState> {
      const changed = {
        ...(isBlank && { shown: null }),
        cursors_json: JSON.stringify(cursors),
        active_until: activeUntil,
        refresh_at: refreshAt,
      };
      const row = await db
        .insertInto('home_views')
        .values({ team_id: owner.teamId, user_id: owner.userId, revision: 1, ...changed })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'user_id']).doUpdateSet((update) => ({
            ...changed,
            revision: update('home_views.revision', '+', 1),
          })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return readState(row);
    },

    async read(owner: HomeOwner): Promise<HomeState | undefined> {
      const row = await rowOf(owner).selectAll().executeTakeFirst();
      return row && readState(row);
    },

    /** Stores the listing or the shown view. Returns false if the person has requested another one since `revision`. */
    async keep(
      { revision, ...owner }: HomeOwner & { revision: number },
      kept: { listing: { key: string; value: unknown; listedAt: number } } | { shown: string },
    ): Promise<boolean> {
      const columns =
        'shown' in kept
          ? { shown: kept.shown }
          : {
              listing_key: kept.listing.key,
              listing_json: new Secret(
                'listing_json',
                owner.userId,
                JSON.stringify(kept.listing.value),
              ),
              listed_at: kept.listing.listedAt,
            };
      const updated = await change(owner)
        .where('revision', '=', revision)
        .set(columns)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /** Forgets published views after the app was uninstalled, because Slack dropped them. */
    async forgetPublished(teamId: string): Promise<void> {
      await db
        .updateTable('home_views')
        .where('team_id', '=', teamId)
        .set((row) => ({ shown: null, active_until: 0, revision: row('revision', '+', 1) }))
        .execute();
    },

    /**
     * Returns the views in use that are due for a refresh. Each view is returned to one replica. All replicas together
     * get at most `limit` views per workspace in `everyMs`, including views that people opened meanwhile.
     */
    async takeDue(due: DueRefresh): Promise<HomeState[]> {
      const rows = await db
        .selectFrom('home_views')
        .selectAll()
        .where('active_until', '>', due.now)
        .where('refresh_at', '<=', due.now)
        .where(hasActiveInstallation('home_views'))
        .orderBy('refresh_at')
        .limit(lookedAt)
        .execute();
      if (rows.length === 0) return [];
      const refreshed = await countRefreshed(db, due);
      const taken: HomeState[] = [];
      for (const row of rows) {
        const others = refreshed.get(row.team_id) ?? 0;
        if (others >= due.limit) continue;
        const updated = await change({ teamId: row.team_id, userId: row.user_id })
          .where('refresh_at', '=', row.refresh_at)
          .set({ refresh_at: due.next })
          .executeTakeFirst();
        if (updated.numUpdatedRows !== 1n) continue;
        refreshed.set(row.team_id, others + 1);
        taken.push(readState(row));
      }
      return taken;
    },
  };
}

/** Returns the number of refreshed views, keyed by workspace. */
async function countRefreshed(db: Db, due: DueRefresh): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('home_views')
    .select(({ fn }) => ['team_id', fn.countAll<number>().as('count')])
    .where('active_until', '>', due.now)
    .where('refresh_at', '>', due.next - due.everyMs)
    .groupBy('team_id')
    .execute();
  return new Map(rows.map(({ team_id: teamId, count }) => [teamId, Number(count)]));
}

/** Max number of due views to read at once, for all workspaces together. */
const lookedAt = 100;

/** Time and limits of a refresh. `next` is the time to refresh the returned views again, in epoch ms. */
type DueRefresh = { now: number; next: number; limit: number; everyMs: number };

type LookedAt = {
  cursors: readonly string[];
  activeUntil: number;
  refreshAt: number;
  /** True if Slack doesn't show the published view. */
  isBlank?: boolean;
};

function readState(row: Selectable<HomeViewsTable>): HomeState {
  const { listing_key: key, listing_json: json, listed_at: listedAt } = row;
  const isListed = key !== null && json !== null && listedAt !== null;
  return {
    teamId: row.team_id,
    userId: row.user_id,
    revision: row.revision,
    cursors: JSON.parse(row.cursors_json) as string[],
    listing: isListed ? { key, value: JSON.parse(json), listedAt } : undefined,
    shown: row.shown,
  };
}
