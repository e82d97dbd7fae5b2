import { type Insertable, type Selectable, sql, type UpdateObject } from 'kysely';
import { type AgentConfig, agentConfigSchema, type Run, runSchema } from 'runs-client/contract';
import { type RequestOrigin, requestOriginSchema } from './request-origin.ts';
import type { RequestStep } from './request-steps.ts';
import type { UsualLengths } from './run-lengths.ts';
import type { DatabaseSchema, RequestsTable } from './schema.ts';
import { linkColumn } from './session-links.ts';

/** What stands in the way, since when (epoch milliseconds). `message` is for people, free of secrets. */
export type RequestProblem = { code: string; message: string; since: number };

/** What the service said to a cancel: it took it, or why it won't. */
export type CancelOutcome =
  | 'accepted'
  | 'already_ended'
  | 'not_cancelable'
  | 'not_offered'
  | 'forbidden'
  | 'refused';

/** A request of this problem ended without a run, because it was canceled first. */
export const canceledBeforeStart = 'canceled_before_start';

/** What a person asked for, where it came from, and what is known of its run. Times are epoch milliseconds. */
export type RunRequest = {
  id: string;
  teamId: string;
  creatorId: string;
  channelId: string;
  messageChannelId: string | null;
  messageTs: string | null;
  prompt: string;
  title: string;
  config: AgentConfig;
  /** Null when it is not known. */
  origin: RequestOrigin | null;
  step: RequestStep;
  postBeganAt: number | null;
  createBeganAt: number | null;
  /** The same moment by the runs service's clock, where that was known. */
  createBeganServiceAt: number | null;
  runId: string | null;
  run: Run | null;
  problem: RequestProblem | null;
  failures: number;
  shown: string | null;
  dueAt: number | null;
  /** When the run is looked at by itself, because no sweep has told of it. */
  lookAt: number | null;
  acceptedAt: number;
  endedAt: number | null;
  cancelAskedAt: number | null;
  cancelAskedBy: string | null;
  cancelRetryAt: number | null;
  cancelOutcome: CancelOutcome | null;
  /** Since when nobody wants the message kept true. */
  unfollowedAt: number | null;
  repliedAt: number | null;
  /** Of its environment when it was created. */
  usual: UsualLengths | null;
  nudgedAt: number | null;
  /** When somebody wanted the run, whose message stands in a thread, shown in the channel. */
  pointerAskedAt: number | null;
  pointerAskedBy: string | null;
  pointedAt: number | null;
  /** Since when a second message or reply may stand beside the one that is known. */
  doubtedAt: number | null;
  /** When to look for such a double next. */
  doublesLookAt: number | null;
  /** When to write the message once more, because an old update may have come late. */
  showAgainAt: number | null;
  /** A message is still to be posted: the first one, or another because the one there can't be changed any more. */
  postAnew: 'first' | 'here' | 'direct' | null;
  /** The message that can be changed no more. */
  lostChannelId: string | null;
  lostMessageTs: string | null;
  /** When somebody wanted the run followed again. */
  followedSince: number | null;
  /** Since when the service does not know the run; of one that has ended: it was given up for that. */
  missingSince: number | null;
  /** Of the lease under which this was read. */
  version: number;
  /** What a sweep has seen of the run and nobody has taken over yet. */
  news: Run | null;
};

export type NewRequest = Pick<
  RunRequest,
  'id' | 'teamId' | 'creatorId' | 'channelId' | 'prompt' | 'title' | 'config' | 'acceptedAt'
> &
  Partial<Pick<RunRequest, 'origin'>>;

/** What may change after acceptance. */
export type RequestChanges = Partial<
  Omit<RunRequest, keyof NewRequest | 'version' | 'dueAt' | 'news' | 'repliedAt'>
> & {
  /** People were told of this end; null when the run goes on after all. If the request was tried again meanwhile, another end follows. */
  endTold?: { step: RequestStep; at: number } | null;
  /** These news are taken over; newer ones that came meanwhile stay. */
  newsTaken?: Run;
  /** Doubles were looked for; a doubt that came up meanwhile stays. */
  doublesLook?: { doubtedAt: number; nextAt: number | null };
  /** Shown once more as was wanted for this time; a later wish stays. */
  shownAgain?: number;
};

/**
 * Condition of the indexes by person and channel, so without parameters: an acceptance writes to neither. The few
 * requests without a message are found by `step = 'accepted'`. See
 * docs/decisions/010-sqlite-writes-are-few-and-share-a-flush.md.
 */
export const isPastAcceptance = sql<boolean>`step <> 'accepted'`;

/** Always the same columns. */
export function firstRow(request: NewRequest) {
  return {
    id: request.id,
    team_id: request.teamId,
    creator_id: request.creatorId,
    channel_id: request.channelId,
    prompt: withoutNul(request.prompt),
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
  const { run, problem, usual, endTold, newsTaken, doublesLook, shownAgain, ...plain } = changes;
  return {
    ...Object.fromEntries(Object.entries(plain).map(([key, value]) => [toColumn(key), value])),
    ...(run !== undefined && {
      run_json: run && JSON.stringify(run),
      run_state: run && indexable(run.state),
      ...filterColumns(run?.agent_config),
      ...(run?.session_link && { session_link: linkColumn(run.session_link) ?? null }),
    }),
    ...(endTold === null && { replied_at: null }),
    ...(endTold && {
      replied_at: sql<number | null>`case when step = ${endTold.step}
        then ${endTold.at} else replied_at end`,
    }),
    ...(newsTaken && {
      news_json: sql<string | null>`case when ${areOthers(newsTaken)} then news_json end`,
      news_at: sql<number | null>`case when ${areOthers(newsTaken)} then news_at end`,
    }),
    ...(doublesLook && {
      doubles_look_at: sql<number | null>`case when doubted_at = ${doublesLook.doubtedAt}
        then ${doublesLook.nextAt} else doubles_look_at end`,
    }),
    ...(shownAgain && {
      show_again_at: sql<
        number | null
      >`case when show_again_at > ${shownAgain} then show_again_at end`,
    }),
    ...(usual !== undefined && { usual_json: usual && JSON.stringify(usual) }),
    ...(problem !== undefined && { problem_json: problem && JSON.stringify(problem) }),
    // Lists filter by the state.
    ...(problem?.code === canceledBeforeStart && { run_state: 'CANCELLED' }),
  };
}

/** A service may keep whole seconds: news of the same time may be others. */
const areOthers = (taken: Run) =>
  sql<boolean>`(news_at > ${newsTime(taken)}
    or news_at = ${newsTime(taken)} and news_json <> ${JSON.stringify(taken)})`;

/** What is not known leaves the columns as they are. */
function filterColumns(config: AgentConfig | Run['agent_config']) {
  const { environment_id: environment, name } = config ?? {};
  return {
    ...(environment && { environment_id: indexable(environment) }),
    ...(name && { config_name: indexable(name) }),
  };
}

/** A time that cannot be read is older than all others. */
export const newsTime = (run: Run): number => Date.parse(run.updated_at) || 0;

const toColumn = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function readRow(row: Selectable<RequestsTable>): RunRequest {
  return {
    id: row.id,
    teamId: row.team_id,
    creatorId: row.creator_id,
    channelId: row.channel_id,
    messageChannelId: row.message_channel_id,
    messageTs: row.message_ts,
    prompt: row.prompt,
    title: row.title,
    config: agentConfigSchema.parse(JSON.parse(row.config_json)),
    origin: row.origin_json === null ? null : readOrigin(row.origin_json),
    step: row.step as RequestStep,
    postBeganAt: row.post_began_at,
    createBeganAt: row.create_began_at,
    createBeganServiceAt: row.create_began_service_at,
    runId: row.run_id,
    run: row.run_json === null ? null : runSchema.parse(JSON.parse(row.run_json)),
    problem: row.problem_json === null ? null : (JSON.parse(row.problem_json) as RequestProblem),
    failures: row.failures,
    shown: row.shown,
    dueAt: row.due_at,
    lookAt: row.look_at,
    acceptedAt: row.accepted_at,
    endedAt: row.ended_at,
    ...readCancel(row),
    unfollowedAt: row.unfollowed_at,
    repliedAt: row.replied_at,
    usual: row.usual_json === null ? null : (JSON.parse(row.usual_json) as UsualLengths),
    nudgedAt: row.nudged_at,
    pointerAskedAt: row.pointer_asked_at,
    pointerAskedBy: row.pointer_asked_by,
    pointedAt: row.pointed_at,
    doubtedAt: row.doubted_at,
    doublesLookAt: row.doubles_look_at,
    showAgainAt: row.show_again_at,
    postAnew: row.post_anew as RunRequest['postAnew'],
    lostChannelId: row.lost_channel_id,
    lostMessageTs: row.lost_message_ts,
    followedSince: row.followed_since,
    missingSince: row.missing_since,
    version: row.version,
    news: row.news_json === null ? null : runSchema.parse(JSON.parse(row.news_json)),
  };
}

/** What a click writes while the follower holds the request. */
export const cancelColumns = [
  'cancel_asked_at',
  'cancel_asked_by',
  'cancel_retry_at',
  'cancel_outcome',
] as const satisfies (keyof RequestsTable)[];

export const readCancel = (
  row: Pick<Selectable<RequestsTable>, (typeof cancelColumns)[number]>,
) => ({
  cancelAskedAt: row.cancel_asked_at,
  cancelAskedBy: row.cancel_asked_by,
  cancelRetryAt: row.cancel_retry_at,
  cancelOutcome: row.cancel_outcome as CancelOutcome | null,
});

/** Whether someone asked for a cancel that hasn't been carried out yet. */
export const isCancelPending = ({
  cancelAskedAt,
  cancelOutcome,
}: Pick<RunRequest, 'cancelAskedAt' | 'cancelOutcome'>): boolean =>
  cancelAskedAt !== null && cancelOutcome === null;

export const isCancelRefused = (outcome: CancelOutcome | null): boolean =>
  outcome !== null && outcome !== 'accepted';

/** A newer version may know origins that this one does not: the request itself is still good. */
const readOrigin = (json: string) => requestOriginSchema.safeParse(JSON.parse(json)).data ?? null;

/** Neither database keeps this character in text: SQLite silently drops what follows it, PostgreSQL refuses it. */
const withoutNul = (text: string) =>
  text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;

/** PostgreSQL takes about 2,700 bytes into an index. */
const indexable = (text: string) => withoutNul(text).slice(0, 600);
