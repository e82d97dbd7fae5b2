import { sql } from 'kysely';
import { isRequestStep, liveSteps } from '../../requests/steps.ts';
import type { Db } from '../schema.ts';
import type { Requests } from './lock-order.ts';
import { type ListedRequest, listedColumns, readListed } from './request-row.ts';
import { type RunViewer, visibleTo } from './visible-requests.ts';

export type RequestList = ReturnType<typeof createRequestList>;

/** Groups of states that requests are counted by. `live` means requests that haven't ended. */
export const stateGroups = ['live', 'succeeded', 'failed', 'cancelled'] as const;
/** Number of requests by group. Requests without a run are listed as failed and counted separately. */
export type RequestCounts = Record<StateGroup | 'notStarted', number>;
export type StateGroup = (typeof stateGroups)[number];

export type RequestFilter = {
  viewer: RunViewer;
  creatorId?: string | undefined;
  /** True to include only runs that automations started. */
  byAutomations?: boolean | undefined;
  state?: StateGroup | undefined;
  /** True to include only runs with an open pull request that isn't a draft and isn't approved. */
  needsReview?: boolean | undefined;
  /** States of the runs API, or steps in capitals for requests without a run. Never empty. */
  stateNames?: readonly string[] | undefined;
  environment?: string | undefined;
  name?: string | undefined;
  /** Text to find in the title, the prompt or its context, with secrets masked. */
  search?: string | undefined;
};

/** Request after which a page begins. The ID decides between requests of the same millisecond. */
type RequestPlace = { acceptedAt: number; id: string };

export function createRequestList(db: Db) {
  function select(filter: RequestFilter, andMore: (requests: Requests) => Requests) {
    const { viewer, creatorId } = filter;
    const ofTeam = db.selectFrom('requests').where('team_id', '=', viewer.teamId);
    const found = andMore(narrow(filter, ofTeam));
    const theirs = creatorId ? found.where('creator_id', '=', creatorId) : found;
    // Skip the visibility check for people's own requests, because they can see all of them.
    const all = creatorId === viewer.userId ? theirs : theirs.where(visibleTo(viewer));
    return all.select(listedColumns);
  }

  return {
    async page(
      filter: RequestFilter,
      { after, limit }: { after?: RequestPlace | undefined; limit: number },
    ): Promise<ListedRequest[]> {
      const isAfter = (requests: Requests) =>
        after
          ? requests.where((where) =>
              where.or([
                where('accepted_at', '<', after.acceptedAt),
                where.and([
                  where('accepted_at', '=', after.acceptedAt),
                  where('id', '<', after.id),
                ]),
              ]),
            )
          : requests;
      const rows = await select(filter, isAfter)
        .orderBy('accepted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readListed);
    },

    /**
     * Returns the requests of a channel, newest first. Includes active requests, and those that ended or weren't
     * started between `from` and `until`.
     */
    async inChannel(
      { teamId, channelId }: { teamId: string; channelId: string },
      { from, until, limit }: { from: number; until: number; limit: number },
    ): Promise<ListedRequest[]> {
      const rows = await db
        .selectFrom('requests')
        .select(listedColumns)
        .where('team_id', '=', teamId)
        .where('channel_id', '=', channelId)
        .where('step', '<>', 'accepted')
        .where('accepted_at', '<', until)
        .where((where) =>
          where.or([
            where('step', 'in', liveSteps),
            where.and([where('ended_at', '>=', from), where('ended_at', '<', until)]),
            where.and([where('step', '=', 'not_started'), where('accepted_at', '>=', from)]),
          ]),
        )
        .orderBy('accepted_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(readListed);
    },

    /** Returns the number of visible requests since a time (epoch ms), by group. */
    async counts(viewer: RunViewer, since: number): Promise<RequestCounts> {
      const rows = await db
        .selectFrom('requests')
        .select(['step', 'run_state'])
        .select((select) => select.fn.countAll<number | string>().as('count'))
        .where('team_id', '=', viewer.teamId)
        .where('accepted_at', '>=', since)
        .where(visibleTo(viewer))
        .groupBy(['step', 'run_state'])
        .execute();
      const counts = { ...noRequests };
      for (const row of rows) {
        const group = groupOf(row.step, row.run_state);
        if (group) counts[group] += Number(row.count);
      }
      return counts;
    },
  };
}

const noRequests = { live: 0, succeeded: 0, failed: 0, cancelled: 0, notStarted: 0 };

const failedStates: readonly string[] = ['FAILED', 'ERROR'];
/** Steps in which a request without a run ended. It couldn't be started, or its message couldn't be posted. */
const endSteps = ['not_started', 'ended'] as const;

/** Applies the whole filter except the creator. */
function narrow(filter: RequestFilter, requests: Requests): Requests {
  let query = requests;
  if (filter.environment) query = query.where('environment_id', '=', filter.environment);
  if (filter.name) query = query.where('config_name', '=', filter.name);
  if (filter.stateNames) query = query.where(isIn(filter.stateNames));
  // Write this exactly like the condition of the index, so that the database uses the index.
  if (filter.needsReview) query = query.where(sql<boolean>`needs_review = 1`);
  // Write this exactly like the condition of the index, so that the database uses the index.
  if (filter.byAutomations) query = query.where('automation_id', 'is not', null);
  if (filter.search) query = query.where(mentions(filter.search));
  switch (filter.state) {
    case undefined:
      return query;
    case 'live':
      return query.where('step', 'in', liveSteps);
    case 'succeeded':
      return query.where('run_state', '=', 'SUCCEEDED');
    case 'cancelled':
      return query.where('run_state', '=', 'CANCELLED');
    case 'failed':
      return query.where((where) =>
        where.or([
          where('run_state', 'in', failedStates),
          // Count requests without a run as failed, except those that were canceled before they started.
          where.and([where('run_state', 'is', null), where('step', 'in', endSteps)]),
        ]),
      );
  }
}

/** Returns the group of a request. Undefined for a run that isn't followed anymore, because its end isn't known. */
function groupOf(step: string, state: string | null): keyof RequestCounts | undefined {
  if (isRequestStep(step) && liveSteps.includes(step)) return 'live';
  if (state === 'SUCCEEDED') return 'succeeded';
  if (state === 'CANCELLED') return 'cancelled';
  if (state === null) return 'notStarted';
  return failedStates.includes(state) ? 'failed' : undefined;
}

function isIn(stateNames: readonly string[]) {
  const steps = stateNames.map((name) => name.toLowerCase());
  return sql<boolean>`(run_state in (${sql.join(stateNames)})
    or (run_state is null and step in (${sql.join(steps)})))`;
}

function mentions(words: string) {
  const pattern = `%${escapePattern(words.toLowerCase())}%`;
  return sql<boolean>`(lower(title) like ${pattern} escape '!'
    or lower(masked_prompt) like ${pattern} escape '!'
    or lower(context) like ${pattern} escape '!')`;
}

const escapePattern = (text: string) => text.replace(/[!%_]/g, (sign) => `!${sign}`);
