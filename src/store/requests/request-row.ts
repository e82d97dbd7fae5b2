import { createColumns } from 'base/database/columns';
import { Secret } from 'base/encryption/secret';
import type { Lease } from 'base/leased-work';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import type { AgentConfig, Run } from 'runs-client/contract';
import { z } from 'zod';
import { type Authority, ownAuthority } from '../../requests/authority.ts';
import {
  canceledBeforeStart,
  type RequestCancel,
  requestCancelSchema,
} from '../../requests/cancel.ts';
import { operatorConnection, serviceOf } from '../../requests/connection.ts';
import { type RequestPublish, requestPublishSchema } from '../../requests/publish.ts';
import { isToReview, pullRequestsOf } from '../../requests/pull-request.ts';
import { type Request, requestSchema } from '../../requests/request.ts';
import { readRunCost } from '../../requests/run-cost.ts';
import {
  type FollowerState,
  followerStateSchema,
  type RunProgress,
  runProgressSchema,
} from '../../requests/run-progress.ts';
import { owners } from '../encrypted-columns.ts';
import type { DatabaseSchema, RequestsTable } from '../schema.ts';

/** A request in lists, with the columns that lists show. */
export type ListedRequest = z.infer<typeof listedSchema>;

/** A request and its run, as people see them in Slack. */
export type RunRequest = Request & RunProgress & RequestCancel & RequestPublish;

/**
 * A request with the data that the follower keeps about it. `version` is that of the lease with which the request was
 * read.
 */
export type FollowedRequest = RunRequest & FollowerState & Pick<Lease, 'version'>;

type OptionalField = 'context' | 'origin' | 'connectionId' | 'authority' | 'limits';

/** A request to accept. Without a connection, the operator's is used. */
export type NewRequest = Omit<Request, OptionalField> & Partial<Pick<Request, OptionalField>>;

/** A request with the authority for it: whose keys and permissions apply. */
export type AuthorizedRequest = NewRequest & { authority: Authority };

/** Changes to a request after it was accepted. */
export type RequestChanges = Partial<
  RunProgress &
    Omit<FollowerState, 'pendingUpdate' | 'pendingAnswer'> &
    RequestCancel &
    RequestPublish
> & {
  /** Run update that was applied, so it isn't pending anymore. A newer update that arrived meanwhile stays pending. */
  appliedUpdate?: Run;
  /** Earlier value of `nextPollAt`. If someone set another time since then, that time stays. */
  nextPollAtBefore?: number | null;
};

const requested = createColumns(requestSchema, owners);
const progress = createColumns(runProgressSchema, owners);
const cancel = createColumns(requestCancelSchema, owners);
const publish = createColumns(requestPublishSchema, owners);
const following = createColumns(followerStateSchema, owners);

const listedSchema = z.object({
  ...requestSchema.pick({
    id: true,
    creatorId: true,
    connectionId: true,
    title: true,
    config: true,
    origin: true,
    acceptedAt: true,
  }).shape,
  ...runProgressSchema.pick({ step: true, runId: true, run: true, problem: true }).shape,
  ...requestCancelSchema.pick({ cancelAskedAt: true, cancelOutcome: true }).shape,
});
const listed = createColumns(listedSchema, owners);

/** Columns of a {@link ListedRequest}. Lists don't read prompts, which are long. */
export const listedColumns = [
  'id',
  'creator_id',
  'connection_id',
  'title',
  'config_json',
  'origin_json',
  'accepted_at',
  'step',
  'run_id',
  'run_json',
  'problem_json',
  'cancel_asked_at',
  'cancel_outcome',
] as const satisfies (keyof RequestsTable)[];

export const readListed = (
  row: Pick<Selectable<RequestsTable>, (typeof listedColumns)[number]>,
): ListedRequest => listed.read(row);

const retries = createColumns(
  followerStateSchema.pick({ cancelRetryAt: true, publishRetryAt: true }),
  owners,
);

/**
 * Columns that people's clicks change while the follower holds the request. Encrypted columns also need their owner.
 */
export const clickedColumns = [
  'id',
  'cancel_asked_at',
  'cancel_asked_by',
  'cancel_retry_at',
  'cancel_outcome',
  'publish_asked_at',
  'publish_asked_by',
  'publish_wanted_json',
  'publish_retry_at',
  'publish_outcome',
  'publish_problem',
] as const satisfies (keyof RequestsTable)[];

export type Clicked = RequestCancel &
  RequestPublish &
  Pick<FollowerState, 'cancelRetryAt' | 'publishRetryAt'>;

export const readClicked = (
  row: Pick<Selectable<RequestsTable>, (typeof clickedColumns)[number]>,
): Clicked => ({ ...cancel.read(row), ...publish.read(row), ...retries.read(row) });

export const readRow = (row: Selectable<RequestsTable>): RunRequest => ({
  ...requested.read({ ...row, prompt: row.prompt ?? row.masked_prompt }),
  ...progress.read(row),
  ...cancel.read(row),
  ...publish.read(row),
});

export const readFollowed = (row: Selectable<RequestsTable>): FollowedRequest => ({
  ...readRow(row),
  ...following.read(row),
  version: row.version,
});

/** Returns the row of a new request. */
export function firstRow({ title, prompt, context, origin, limits, ...rest }: NewRequest) {
  const { id, connectionId = operatorConnection, authority = ownAuthority(rest.creatorId) } = rest;
  const texts = { title: masked(withoutNul(title)), prompt: withoutNul(prompt) };
  const optional = {
    context: context ? masked(withoutNul(context)) : null,
    origin: origin ?? null,
    limits: limits ?? null,
  };
  const searched = masked(texts.prompt);
  return {
    ...requested.write({ ...rest, ...texts, ...optional, connectionId, authority }, id),
    service_id: serviceOf(connectionId),
    ...progress.write({ step: 'accepted' }),
    ...following.write({ failures: 0 }),
    masked_prompt: searched,
    prompt: searched === texts.prompt ? null : new Secret('prompt', id, texts.prompt),
    thread_ts: (origin?.ownsThread && origin.threadTs) || null,
    environment_id: null,
    config_name: null,
    automation_id: origin?.automation?.id ?? null,
    ...filterColumns(rest.config),
    lease_until: 0,
  } as Insertable<RequestsTable>;
}

export function changedColumns(
  id: string,
  { appliedUpdate, nextPollAtBefore, ...changes }: RequestChanges,
): UpdateObject<DatabaseSchema, 'requests'> {
  const { run, problem, nextPollAt } = changes;
  return {
    ...progress.write(changes, id),
    ...following.write(changes),
    ...(nextPollAt !== undefined &&
      nextPollAtBefore !== undefined && {
        next_poll_at: sql<
          number | null
        >`case when next_poll_at is not distinct from ${nextPollAtBefore} then ${nextPollAt} else next_poll_at end`,
      }),
    ...cancel.write(changes),
    ...publish.write(changes, id),
    // Don't overwrite a newer publish request that someone made since the run was read.
    ...(changes.publishOutcome === 'seen' && {
      publish_outcome: sql<'seen' | null>`case when publish_outcome is not null then 'seen' end`,
    }),
    ...(run !== undefined && {
      run_state: run && indexable(run.state),
      needs_review: pullRequestsOf(run).some(isToReview) ? 1 : null,
      ...filterColumns(run?.agent_config),
      ...costColumns(run),
      ...(run?.session_link && { session_link: linkColumn(run.session_link) }),
    }),
    ...(appliedUpdate && {
      pending_update_json: sql<Secret<'pending_update_json'> | null>`case when ${areOthers(id, appliedUpdate)} then pending_update_json end`,
      pending_update_at: sql<
        number | null
      >`case when ${areOthers(id, appliedUpdate)} then pending_update_at end`,
    }),
    // Set the state of a request that was canceled before its start, because lists filter by state.
    ...(problem?.code === canceledBeforeStart && { run_state: 'CANCELLED' }),
  };
}

/**
 * Returns a condition for a pending update that isn't the applied one. Times can be equal, because a service may round
 * to seconds.
 */
const areOthers = (id: string, taken: Run) =>
  sql<boolean>`(pending_update_at > ${updateTime(taken)}
    or pending_update_at = ${updateTime(taken)}
      and pending_update_json not in (${pendingRun(id, taken)}, ${pendingRun(id, taken, 'other')}))`;

export const knownRun = (requestId: string, run: Run) =>
  new Secret('run_json', requestId, JSON.stringify(run));

export const pendingRun = (requestId: string, run: Run, by: 'current' | 'other' = 'current') =>
  new Secret('pending_update_json', requestId, JSON.stringify(run), by);

/** Returns the columns that lists filter by. An unknown value leaves its column unchanged. */
function filterColumns(config: AgentConfig | Run['agent_config']) {
  const { environment_id: environment, name } = config ?? {};
  return {
    ...(environment && { environment_id: indexable(environment) }),
    ...(name && { config_name: indexable(name) }),
  };
}

/** Returns the columns that spending is summed by. Keeps the last known cost if the service reports none. */
function costColumns(run: Run | null) {
  const cost = readRunCost(run);
  return (
    cost && {
      cost_micros: cost.micros,
      tokens: cost.tokens,
      is_cost_incomplete: Number(cost.isIncomplete),
      cost_models_json: cost.models.length > 0 ? JSON.stringify(cost.models) : null,
    }
  );
}

/** Returns the time of an update. An unreadable time is treated as the oldest. */
export const updateTime = (run: Run): number => Date.parse(run.updated_at) || 0;

/** Returns the text with secrets masked, as people can read and find it. */
const masked = (text: string): string => maskSecrets(text).text;

/** Removes NUL characters. SQLite drops the rest of a text after one, and PostgreSQL rejects it. */
const withoutNul = (text: string) =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;

/** Max length of an indexed text, because PostgreSQL indexes about 2,700 bytes. */
const mostIndexed = 600;
const indexable = (text: string) => withoutNul(text).slice(0, mostIndexed);
/**
 * Returns a link for its indexed column. Returns null for a link that is too long, because links are only searched as a
 * whole.
 */
const linkColumn = (link: string): string | null =>
  link.length <= mostIndexed && !link.includes('\u0000') ? link : null;
