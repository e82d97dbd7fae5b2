import { maskSecrets } from 'base/secrets/mask-secrets';
import type { ListRunsQuery, Run } from 'runs-client/contract';
import { z } from 'zod';
import { isToReview, pullRequestsOf } from '../../../requests/pull-request.ts';
import {
  type RequestFilter,
  type StateGroup,
  stateGroups,
} from '../../../store/requests/request-list.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import { setting } from '../../people/setting.ts';
import { creatorName } from '../../runs/showing/run-rows.ts';

const words = z.string().min(1).max(200).optional();
const narrowing = {
  state: z.enum([...stateGroups, 'review']).optional(),
  environment: words,
  name: words,
  search: words,
};

/** Someone who starts runs outside Slack. Not every service gives its creators a `uid`. */
const apiCreatorSchema = z.object({ uid: z.string().min(1).optional(), name: z.string().min(1) });
export type ApiCreator = z.infer<typeof apiCreatorSchema>;

const filterSchema = z.discriminatedUnion('creator', [
  z.object({ creator: z.literal('me'), ...narrowing }),
  z.object({ creator: z.literal('everyone'), ...narrowing }),
  z.object({ creator: z.literal('person'), userId: z.string().min(1), ...narrowing }),
  z.object({ creator: z.literal('elsewhere'), ...narrowing }),
  z.object({ creator: z.literal('api'), by: apiCreatorSchema.optional(), ...narrowing }),
]);

/** Which runs the Home tab lists. `elsewhere`: started outside Slack. `api`: those by one creator. */
export type HomeFilter = z.infer<typeof filterSchema>;
export type Narrowing = Pick<HomeFilter, 'environment' | 'name' | 'search'>;

/** A person's own. */
export const homeFilter = setting('home.filter', filterSchema.catch({ creator: 'me' }));

/** True if there is a filter besides the creator. */
export const isNarrowed = ({ state, environment, name, search }: HomeFilter) =>
  [state, environment, name, search].some((value) => value !== undefined);

/** The filter as the store takes it. */
export function requestFilterOf(filter: HomeFilter, viewer: RunViewer): RequestFilter {
  const { creator, state, environment, name, search } = filter;
  const creatorId =
    creator === 'me' ? viewer.userId : creator === 'person' ? filter.userId : undefined;
  const needsReview = state === 'review';
  const group = needsReview ? undefined : state;
  return { viewer, creatorId, state: group, needsReview, environment, name, search };
}

const statesOf: Record<StateGroup | 'review', readonly string[] | undefined> = {
  live: ['QUEUED', 'PENDING', 'CLAIMED', 'INPROGRESS', 'BLOCKED'],
  succeeded: ['SUCCEEDED'],
  failed: ['FAILED', 'ERROR'],
  cancelled: ['CANCELLED'],
  review: undefined,
};

export const isElsewhere = ({ creator }: HomeFilter): boolean =>
  creator === 'elsewhere' || creator === 'api';

/** The filter as the runs API takes it. */
export function runsQueryOf(filter: HomeFilter): ListRunsQuery {
  const { state, environment, name, search } = filter;
  return {
    creator: filter.creator === 'api' ? filter.by?.uid : undefined,
    state: state && statesOf[state],
    environment_id: environment,
    name,
    q: search,
    sort_by: 'created_at',
    sort_order: 'desc',
  };
}

/** For services that ignore filters they don't know, and those that search in what is masked here. */
export function fitsFilter(run: Run, filter: HomeFilter): boolean {
  const { state, environment, name, search } = filter;
  const text = maskSecrets(`${run.title ?? ''}\n${run.prompt}`).text.toLowerCase();
  return (
    isBy(run, filter) &&
    (!state || (statesOf[state]?.includes(run.state) ?? pullRequestsOf(run).some(isToReview))) &&
    (!environment || run.agent_config?.environment_id === environment) &&
    (!name || run.agent_config?.name === name) &&
    (!search || text.includes(search.toLowerCase()))
  );
}

function isBy(run: Run, filter: HomeFilter): boolean {
  if (filter.creator !== 'api' || !filter.by) return true;
  const { uid, name } = filter.by;
  return uid === undefined ? creatorName(run) === name : run.creator?.uid === uid;
}
