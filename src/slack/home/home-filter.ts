import { maskSecrets } from 'base/secrets/mask-secrets';
import type { ListRunsQuery, Run } from 'runs-client/contract';
import { z } from 'zod';
import { isToReview, pullRequestsOf } from '../../requests/pull-request.ts';
import {
  type RequestFilter,
  type StateGroup,
  stateGroups,
} from '../../store/requests/request-list.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { setting } from '../people/setting.ts';

const words = z.string().min(1).max(200).optional();
const narrowing = {
  state: z.enum([...stateGroups, 'review']).optional(),
  environment: words,
  name: words,
  search: words,
};

const filterSchema = z.discriminatedUnion('creator', [
  z.object({ creator: z.literal('me'), ...narrowing }),
  z.object({ creator: z.literal('everyone'), ...narrowing }),
  z.object({ creator: z.literal('person'), userId: z.string().min(1), ...narrowing }),
  z.object({ creator: z.literal('automations'), ...narrowing }),
  z.object({ creator: z.literal('elsewhere'), ...narrowing }),
]);

/** Filter of the list in Home. The creator `elsewhere` means runs that were started outside Slack. */
export type HomeFilter = z.infer<typeof filterSchema>;
export type Narrowing = Pick<HomeFilter, 'environment' | 'name' | 'search'>;

/** Setting that keeps a person's filter, so that Home opens with the last one. */
export const homeFilter = setting('home.filter', filterSchema.catch({ creator: 'me' }));

/** Returns true if the list is filtered by more than the creator. */
export const isNarrowed = ({ state, environment, name, search }: HomeFilter) =>
  [state, environment, name, search].some((value) => value !== undefined);

/** Converts Home's filter to a filter for the store. */
export function requestFilterOf(filter: HomeFilter, viewer: RunViewer): RequestFilter {
  const { creator, state, environment, name, search } = filter;
  const creatorId =
    creator === 'me' ? viewer.userId : creator === 'person' ? filter.userId : undefined;
  const needsReview = state === 'review';
  const group = needsReview ? undefined : state;
  return {
    viewer,
    creatorId,
    byAutomations: creator === 'automations',
    state: group,
    needsReview,
    environment,
    name,
    search,
  };
}

const statesOf: Record<StateGroup | 'review', readonly string[] | undefined> = {
  live: ['QUEUED', 'PENDING', 'CLAIMED', 'INPROGRESS', 'BLOCKED'],
  succeeded: ['SUCCEEDED'],
  failed: ['FAILED', 'ERROR'],
  cancelled: ['CANCELLED'],
  review: undefined,
};

/** Converts Home's filter to a query for the runs API. */
export function runsQueryOf({ state, environment, name, search }: HomeFilter): ListRunsQuery {
  return {
    state: state && statesOf[state],
    environment_id: environment,
    name,
    q: search,
    sort_by: 'created_at',
    sort_order: 'desc',
  };
}

/**
 * Returns true if the run matches the filter. Runs services may ignore filters they don't know, or search text that the
 * app masks.
 */
export function fitsFilter(run: Run, { state, environment, name, search }: HomeFilter): boolean {
  const text = maskSecrets(`${run.title ?? ''}\n${run.prompt}`).text.toLowerCase();
  return (
    (!state || (statesOf[state]?.includes(run.state) ?? pullRequestsOf(run).some(isToReview))) &&
    (!environment || run.agent_config?.environment_id === environment) &&
    (!name || run.agent_config?.name === name) &&
    (!search || text.includes(search.toLowerCase()))
  );
}
