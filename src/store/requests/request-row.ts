import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import { type AgentConfig, agentConfigSchema, type Run, runSchema } from 'runs-client/contract';
import type { UsualLengths } from '../following/run-lengths.ts';
import type { DatabaseSchema, RequestsTable } from '../schema.ts';
import { canceledBeforeStart, type RequestCancel, readCancel } from './request-cancel.ts';
import { type RequestOrigin, requestOriginSchema } from './request-origin.ts';
import type { RequestStep } from './request-steps.ts';
import { linkColumn } from './session-links.ts';

/** What is wrong, and since when (epoch milliseconds). `message` is for people, without secrets. */
export type RequestProblem = { code: string; message: string; since: number };

/** What a person asked for, where it came from, and what is known about its run. Times are epoch milliseconds. */
export type RunRequest = RequestCancel & {
  id: string;
  teamId: string;
  creatorId: string;
  channelId: string;
  /** What the person wrote. */
  prompt: string;
  /** Text from Slack that is sent after the prompt, with secrets masked. */
  context: string | null;
  title: string;
  config: AgentConfig;
  /** Null if it isn't known. */
  origin: RequestOrigin | null;
  step: RequestStep;
  createBeganAt: number | null;
  /** The same moment by the runs service's clock, if that was known. */
  createBeganServiceAt: number | null;
  runId: string | null;
  run: Run | null;
  problem: RequestProblem | null;
  failures: number;
  dueAt: number | null;
  /** When to read the run because no sweep has seen it. */
  lookAt: number | null;
  acceptedAt: number;
  endedAt: number | null;
  /** Since when the message isn't kept up to date. */
  unfollowedAt: number | null;
  /** What was usual in its environment when it was created. */
  usual: UsualLengths | null;
  /** When someone pressed *Follow again*. */
  followedSince: number | null;
  /** Since when the service doesn't know the run. If the request ended, that is why. */
  missingSince: number | null;
  /** Of the lease with which this was read. */
  version: number;
  /** What a sweep has seen of the run and the follower hasn't applied yet. */
  pendingUpdate: Run | null;
};

export type NewRequest = Pick<
  RunRequest,
  'id' | 'teamId' | 'creatorId' | 'channelId' | 'prompt' | 'title' | 'config' | 'acceptedAt'
> &
  Partial<Pick<RunRequest, 'context' | 'origin'>>;

/** What may change after acceptance. */
export type RequestChanges = Partial<
  Omit<RunRequest, keyof NewRequest | 'version' | 'dueAt' | 'pendingUpdate'>
> & {
  /** This update is applied; a newer one that arrived meanwhile stays. */
  appliedUpdate?: Run;
};

/**
 * The condition of the indexes by person and channel, written as in the schema. An accepted request is in neither, and is
 * found by `step = 'accepted'`. See docs/decisions/010-sqlite-writes-are-few-and-share-a-flush.md.
 */
export const isPastAcceptance = sql<boolean>`step <> 'accepted'`;

/** Always the same columns, because the statement is prepared once. */
export function firstRow(request: NewRequest) {
  return {
    id: request.id,
    team_id: request.teamId,
    creator_id: request.creatorId,
    channel_id: request.channelId,
    prompt: withoutNul(request.prompt),
    context: request.context ? withoutNul(request.context) : null,
    title: withoutNul(request.title),
    config_json: JSON.stringify(request.config),
    environment_id: null,
    config_name: null,
    ...filterColumns(request.config),
    origin_json: request.origin ? JSON.stringify(request.origin) : null,
    step: 'accepted' satisfies RequestStep,
    failures: 0,
    lease_until: 0,
    accepted_at: request.acceptedAt,
  } satisfies Insertable<RequestsTable>;
}

export function changedColumns(changes: RequestChanges): UpdateObject<DatabaseSchema, 'requests'> {
  const { run, problem, usual, appliedUpdate, ...plain } = changes;
  return {
    ...Object.fromEntries(Object.entries(plain).map(([key, value]) => [toColumn(key), value])),
    ...(run !== undefined && {
      run_json: run && JSON.stringify(run),
      run_state: run && indexable(run.state),
      ...filterColumns(run?.agent_config),
      ...(run?.session_link && { session_link: linkColumn(run.session_link) ?? null }),
    }),
    ...(appliedUpdate && {
      pending_update_json: sql<
        string | null
      >`case when ${areOthers(appliedUpdate)} then pending_update_json end`,
      pending_update_at: sql<
        number | null
      >`case when ${areOthers(appliedUpdate)} then pending_update_at end`,
    }),
    ...(usual !== undefined && { usual_json: usual && JSON.stringify(usual) }),
    ...(problem !== undefined && { problem_json: problem && JSON.stringify(problem) }),
    // Lists filter by the state.
    ...(problem?.code === canceledBeforeStart && { run_state: 'CANCELLED' }),
  };
}

/** A service may round to seconds, so updates of the same time may differ. */
const areOthers = (taken: Run) =>
  sql<boolean>`(pending_update_at > ${updateTime(taken)}
    or pending_update_at = ${updateTime(taken)} and pending_update_json <> ${JSON.stringify(taken)})`;

/** An unknown value leaves its column unchanged. */
function filterColumns(config: AgentConfig | Run['agent_config']) {
  const { environment_id: environment, name } = config ?? {};
  return {
    ...(environment && { environment_id: indexable(environment) }),
    ...(name && { config_name: indexable(name) }),
  };
}

/** An unreadable time counts as the oldest. */
export const updateTime = (run: Run): number => Date.parse(run.updated_at) || 0;

const toColumn = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function readRow(row: Selectable<RequestsTable>): RunRequest {
  return {
    id: row.id,
    teamId: row.team_id,
    creatorId: row.creator_id,
    channelId: row.channel_id,
    prompt: row.prompt,
    context: row.context,
    title: row.title,
    config: agentConfigSchema.parse(JSON.parse(row.config_json)),
    origin: row.origin_json === null ? null : readOrigin(row.origin_json),
    step: row.step as RequestStep,
    createBeganAt: row.create_began_at,
    createBeganServiceAt: row.create_began_service_at,
    runId: row.run_id,
    run: row.run_json === null ? null : runSchema.parse(JSON.parse(row.run_json)),
    problem: row.problem_json === null ? null : (JSON.parse(row.problem_json) as RequestProblem),
    failures: row.failures,
    dueAt: row.due_at,
    lookAt: row.look_at,
    acceptedAt: row.accepted_at,
    endedAt: row.ended_at,
    ...readCancel(row),
    unfollowedAt: row.unfollowed_at,
    usual: row.usual_json === null ? null : (JSON.parse(row.usual_json) as UsualLengths),
    followedSince: row.followed_since,
    missingSince: row.missing_since,
    version: row.version,
    pendingUpdate:
      row.pending_update_json === null
        ? null
        : runSchema.parse(JSON.parse(row.pending_update_json)),
  };
}

/** A newer version may have stored an origin that this one doesn't know. */
const readOrigin = (json: string) => requestOriginSchema.safeParse(JSON.parse(json)).data ?? null;

/** SQLite drops what follows this character in a text, and PostgreSQL refuses it. */
const withoutNul = (text: string) =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;

/** PostgreSQL indexes about 2,700 bytes. */
const indexable = (text: string) => withoutNul(text).slice(0, 600);
