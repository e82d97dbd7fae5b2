import { isPostgres } from 'base/database/clock';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import type { Selectable, SelectQueryBuilder, Transaction } from 'kysely';
import { requestOriginSchema } from '../../requests/origin.ts';
import { liveSteps } from '../../requests/steps.ts';
import { runMessageOf } from '../outbox/message-posts.ts';
import { createOutbox } from '../outbox/outbox.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { createRequestMarks } from './request-marks.ts';
import {
  type AuthorizedRequest,
  firstRow,
  type NewRequest,
  type RunRequest,
} from './request-row.ts';

/** Limits of starting runs. Undefined means no limit. */
export type StartLimits = {
  /** Max runs of one person or workflow in 24 hours. */
  maxRunsPerDay?: number | undefined;
  /** Max active runs of the whole workspace. */
  maxActiveRuns?: number | undefined;
  /** Max runs of one person or workflow in an hour. */
  maxOwnRunsPerHour?: number | undefined;
  maxOwnActiveRuns?: number | undefined;
};

/**
 * Result of accepting a request. `repeated`: already stored. `used`: current number of runs. `freeAt`: time when the
 * person can start again (epoch ms).
 */
export type Acceptance =
  | { outcome: 'accepted' }
  | { outcome: 'repeated' }
  | { outcome: 'too_many_today' | 'too_many_this_hour'; used: number; freeAt: number }
  | { outcome: 'too_many_live' | 'too_many_own_live'; used: number };

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

export function createAcceptance(db: Db) {
  /**
   * Stores the request and plans its run message. Returns false if the request is already stored, or if its automation
   * doesn't start it anymore.
   */
  async function insert(transaction: Within, request: NewRequest): Promise<boolean> {
    if (request.origin?.automation && !(await isStillWanted(transaction, request))) return false;
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('requests')
      .values(firstRow(request))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) return false;
    await createOutbox(transaction).plan([runMessageOf(request)]);
    return true;
  }

  return {
    /** Accepts a request without limits. Returns false for a repeated delivery. */
    accept: (request: NewRequest): Promise<boolean> =>
      db.transaction().execute((transaction) => insert(transaction, request)),

    /** Accepts a request unless it would exceed a limit. Simultaneous requests can't exceed it together, either. */
    acceptWithin: (limits: StartLimits, request: AuthorizedRequest): Promise<Acceptance> =>
      db.transaction().execute(async (transaction) => {
        const rejected = await limitReached(transaction, limits, request);
        if (rejected) return rejected;
        return { outcome: (await insert(transaction, request)) ? 'accepted' : 'repeated' };
      }),

    /**
     * Retries a request that wasn't started, unless that would exceed a limit of active runs. Stores the request's
     * limits. A repeated click changes nothing.
     */
    async tryAgainWithin(
      { maxActiveRuns, maxOwnActiveRuns }: Pick<StartLimits, 'maxActiveRuns' | 'maxOwnActiveRuns'>,
      request: Started,
    ): Promise<Acceptance> {
      return db.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `limits of ${request.teamId}`);
        const waiting = await transaction
          .selectFrom('requests')
          .select('id')
          .where('id', '=', request.id)
          .where('step', '=', 'not_started')
          .executeTakeFirst();
        if (!waiting) return { outcome: 'repeated' };
        const rejected =
          (await findActiveExcess(transaction, maxActiveRuns, request)) ??
          (await findOwnActiveExcess(transaction, maxOwnActiveRuns, request));
        if (rejected) return rejected;
        const isDone = await createRequestMarks(transaction).tryAgain(request.id, request.limits);
        return { outcome: isDone ? 'accepted' : 'repeated' };
      });
    },
  };
}

/**
 * Returns true if the automation is on, with this owner and in this channel, and the firing isn't decided yet. Calls to
 * Slack come between the decision and this, so a person or another replica may have changed that meanwhile.
 */
async function isStillWanted(
  transaction: Within,
  { teamId, channelId, creatorId, origin }: NewRequest,
): Promise<boolean> {
  if (!origin?.automation) return false;
  const { id, firingId } = origin.automation;
  const waiting = transaction
    .selectFrom('automation_firings')
    .select('id')
    .where('id', '=', firingId)
    .where('state', '=', 'waiting')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('automations')
          .select('automations.id')
          .where('automations.id', '=', id)
          .where('automations.team_id', '=', teamId)
          .where('automations.channel_id', '=', channelId)
          .where('automations.owner_id', '=', creatorId)
          .where('automations.pause_json', 'is', null),
      ),
    );
  const row = await (isPostgres(transaction) ? waiting.forUpdate() : waiting).executeTakeFirst();
  return row !== undefined;
}

/** Returns the limit that this request would exceed, or `repeated` if it's already stored. */
async function limitReached(
  transaction: Within,
  { maxRunsPerDay, maxOwnRunsPerHour, maxActiveRuns, maxOwnActiveRuns }: StartLimits,
  request: AuthorizedRequest,
): Promise<Acceptance | undefined> {
  const limits = [maxRunsPerDay, maxOwnRunsPerHour, maxActiveRuns, maxOwnActiveRuns];
  if (limits.every((limit) => limit === undefined)) return undefined;
  await lockUntilCommit(transaction, `limits of ${request.teamId}`);
  const existing = await transaction
    .selectFrom('requests')
    .select('id')
    .where('id', '=', request.id)
    .executeTakeFirst();
  if (existing) return { outcome: 'repeated' };
  return (
    (await findRecentExcess(transaction, { most: maxRunsPerDay, withinMs: dayMs }, request)) ??
    (await findRecentExcess(transaction, { most: maxOwnRunsPerHour, withinMs: hourMs }, request)) ??
    (await findActiveExcess(transaction, maxActiveRuns, request)) ??
    (await findOwnActiveExcess(transaction, maxOwnActiveRuns, request))
  );
}

type Started = Pick<RunRequest, 'id' | 'teamId' | 'creatorId' | 'origin' | 'limits'>;

type Within = Transaction<DatabaseSchema>;
type Asked = Pick<NewRequest, 'teamId' | 'creatorId' | 'origin'>;

async function findRecentExcess(
  transaction: Within,
  { most, withinMs }: { most: number | undefined; withinMs: number },
  request: NewRequest,
): Promise<Acceptance | undefined> {
  if (most === undefined) return undefined;
  const since = request.acceptedAt - withinMs;
  const rows = await ownRequests(transaction, request, (all) =>
    all.where('accepted_at', '>', since),
  );
  // Find the oldest of the last `most` requests. The next run can start once this request leaves the period.
  const last = rows[rows.length - most];
  if (!last) return undefined;
  const outcome = withinMs === dayMs ? 'too_many_today' : 'too_many_this_hour';
  return { outcome, used: rows.length, freeAt: last.accepted_at + withinMs };
}

async function findOwnActiveExcess(
  transaction: Within,
  most: number | undefined,
  request: Asked,
): Promise<Acceptance | undefined> {
  if (most === undefined) return undefined;
  const rows = await ownRequests(transaction, request, (all) => all.where('step', 'in', liveSteps));
  return rows.length >= most ? { outcome: 'too_many_own_live', used: rows.length } : undefined;
}

type Row = Pick<Selectable<DatabaseSchema['requests']>, 'accepted_at' | 'origin_json'>;
type Query = SelectQueryBuilder<DatabaseSchema, 'requests', Row>;

/** Selects the requests of the same person or workflow, oldest first. */
async function ownRequests(
  transaction: Within,
  { teamId, creatorId, origin }: Asked,
  which: (all: Query) => Query,
): Promise<Row[]> {
  const ofTeam = transaction.selectFrom('requests').where('team_id', '=', teamId);
  const all = which(ofTeam.select(['accepted_at', 'origin_json']));
  const workflow = workflowOf(origin);
  const found = workflow ? all : all.where('creator_id', '=', creatorId);
  const rows = await found.orderBy('accepted_at').execute();
  return rows.filter((row) => workflowOf(parseOrigin(row.origin_json)) === workflow);
}

/** Returns the workflow of a request. Workflows without a name share one limit. Undefined for a person's run. */
const workflowOf = (origin: NewRequest['origin']): string | undefined =>
  origin?.workflow && `workflow ${origin.workflow.name ?? ''}`;

const parseOrigin = (json: string | null) =>
  json === null ? null : requestOriginSchema.safeParse(JSON.parse(json)).data;

async function findActiveExcess(
  transaction: Within,
  most: number | undefined,
  { teamId }: Pick<NewRequest, 'teamId'>,
): Promise<Acceptance | undefined> {
  if (most === undefined) return undefined;
  const row = await transaction
    .selectFrom('requests')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('step', 'in', liveSteps)
    .executeTakeFirst();
  const used = Number(row?.count ?? 0);
  return used >= most ? { outcome: 'too_many_live', used } : undefined;
}
