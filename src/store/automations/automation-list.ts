import { sql } from 'kysely';
import type { Automation } from '../../automations/automation.ts';
import type { Firing } from '../../automations/firing.ts';
import { type ListedRequest, listedColumns, readListed } from '../requests/request-row.ts';
import { type RunViewer, visibleTo } from '../requests/visible-requests.ts';
import type { Db } from '../schema.ts';
import { readAutomation } from './automation-row.ts';
import { readFiring } from './firing-row.ts';

/** A firing with the request that it started. Null if it started none, or if the viewer can't see it. */
export type HistoryEntry = { firing: Firing; request: ListedRequest | null };

/** An automation with its newest firing that wasn't filtered out, and the cost of its runs in the last 30 days. */
export type ListedAutomation = Automation & { last: HistoryEntry | null; spentMicros: number };

/** Automation after which a page begins. */
export type AutomationPlaceInList = Pick<Automation, 'channelId' | 'name'>;

export type AutomationFilter = {
  id?: string | undefined;
  channelId?: string | undefined;
  ownerId?: string | undefined;
  after?: AutomationPlaceInList | undefined;
  limit: number;
};

const spentWithinMs = 30 * 24 * 60 * 60_000;

export function createAutomationList(db: Db) {
  return {
    /** Returns the automations that a person can see, sorted by channel and name. */
    async visible(viewer: RunViewer, filter: AutomationFilter): Promise<ListedAutomation[]> {
      const { id, channelId, ownerId, after, limit } = filter;
      let query = db
        .selectFrom('automations')
        .selectAll()
        .where('team_id', '=', viewer.teamId)
        .where(visibleTo(viewer, 'owner_id'));
      if (id !== undefined) query = query.where('id', '=', id);
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
      if (after)
        query = query.where(sql<boolean>`(channel_id, name) > (${after.channelId}, ${after.name})`);
      const rows = await query.orderBy('channel_id').orderBy('name').limit(limit).execute();
      const ids = rows.map(({ id }) => id);
      const [last, spent] = await Promise.all([lastOf(db, viewer, ids), spentOf(db, ids)]);
      return rows.map((row) => ({
        ...readAutomation(row),
        last: last.get(row.id) ?? null,
        spentMicros: spent.get(row.id) ?? 0,
      }));
    },
  };
}

/** Returns the newest firing of each automation that wasn't filtered out. */
async function lastOf(db: Db, viewer: RunViewer, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, HistoryEntry>();
  const newest = sql<string>`(select f.id from automation_firings f
    where f.automation_id = automations.id and f.state <> 'unmatched'
      and f.happened_at >= coalesce(automations.moved_at, 0)
    order by f.happened_at desc, f.id desc limit 1)`;
  const rows = await db
    .selectFrom('automation_firings')
    .selectAll()
    .where('id', 'in', db.selectFrom('automations').select(newest.as('id')).where('id', 'in', ids))
    .execute();
  const entries = await withRequests(db, viewer, rows.map(readFiring));
  return new Map(entries.map((entry) => [entry.firing.automationId, entry]));
}

async function spentOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('requests')
    .select((row) => ['automation_id', row.fn.sum<number | string | null>('cost_micros').as('sum')])
    .where('automation_id', 'in', ids)
    .where('accepted_at', '>=', Date.now() - spentWithinMs)
    .groupBy('automation_id')
    .execute();
  return new Map(rows.map((row) => [row.automation_id ?? '', Number(row.sum ?? 0)]));
}

/** Adds the requests that the viewer can see. */
export async function withRequests(
  db: Db,
  viewer: RunViewer,
  firings: readonly Firing[],
): Promise<HistoryEntry[]> {
  const began = (firing: Firing) => firing.state === 'started' || firing.state === 'failed';
  const ids = firings.filter(began).flatMap(({ requestId }) => requestId ?? []);
  if (ids.length === 0) return firings.map((firing) => ({ firing, request: null }));
  const rows = await db
    .selectFrom('requests')
    .select(listedColumns)
    .where('id', 'in', ids)
    .where('team_id', '=', viewer.teamId)
    .where(visibleTo(viewer))
    .execute();
  const requests = new Map(rows.map((row) => [row.id, readListed(row)]));
  return firings.map((firing) => ({
    firing,
    request: (began(firing) && requests.get(firing.requestId ?? '')) || null,
  }));
}
