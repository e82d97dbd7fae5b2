import { nowMs } from 'base/database/clock';
import { lockUntilCommit } from 'base/database/lock-until-commit';
import { prepare } from 'base/database/prepared';
import type { Selectable, SelectQueryBuilder, Transaction } from 'kysely';
import { requestOriginSchema } from '../../requests/origin.ts';
import { liveSteps } from '../../requests/steps.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { createRequestMarks } from './request-marks.ts';
import {
  type AuthorizedRequest,
  firstRow,
  type NewRequest,
  type RunRequest,
} from './request-row.ts';
import { ofPerson } from './requests-of-person.ts';

/** Undefined means no limit. */
export type StartLimits = {
  /** Of one person or workflow, in 24 hours. */
  runsPerDay?: number | undefined;
  /** Of the whole workspace. */
  liveRuns?: number | undefined;
  /** Of one person or workflow. */
  ownRunsPerHour?: number | undefined;
  ownLiveRuns?: number | undefined;
};

/** `repeated`: stored before. `used`: how many there are. `freeAt`: when the person may start again (epoch milliseconds). */
export type Acceptance =
  | { outcome: 'accepted' }
  | { outcome: 'repeated' }
  | { outcome: 'too_many_today' | 'too_many_this_hour'; used: number; freeAt: number }
  | { outcome: 'too_many_live' | 'too_many_own_live'; used: number };

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

export function createAcceptance(db: Db) {
  const insertRow = prepare(({ now, ...row }: ReturnType<typeof firstRow> & { now: number }) =>
    db
      .insertInto('requests')
      .values({ ...row, due_at: nowMs(db, now) })
      .onConflict((conflict) => conflict.column('id').doNothing()),
  );

  async function insert(executor: Db, request: NewRequest): Promise<boolean> {
    const values = { ...firstRow(request), now: Date.now() };
    const { numAffectedRows } = await executor.executeQuery(insertRow(values));
    return numAffectedRows === 1n;
  }

  return {
    /** Stores a request, due at once. Answers false for a repeated delivery. */
    accept: (request: NewRequest): Promise<boolean> => insert(db, request),

    /** As `accept`, unless that would exceed a limit. One transaction, so that simultaneous requests can't exceed it. */
    async acceptWithin(limits: StartLimits, request: AuthorizedRequest): Promise<Acceptance> {
      if (Object.values(limits).every((limit) => limit === undefined)) {
        return { outcome: (await insert(db, request)) ? 'accepted' : 'repeated' };
      }
      return db.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `limits of ${request.teamId}`);
        const before = await transaction
          .selectFrom('requests')
          .select('id')
          .where('id', '=', request.id)
          .executeTakeFirst();
        if (before) return { outcome: 'repeated' };
        const { runsPerDay, ownRunsPerHour, liveRuns, ownLiveRuns } = limits;
        const hourly = { most: ownRunsPerHour, withinMs: hourMs };
        const refused =
          (await tooManyLately(transaction, { most: runsPerDay, withinMs: dayMs }, request)) ??
          (await tooManyLately(transaction, hourly, request)) ??
          (await tooManyLive(transaction, liveRuns, request)) ??
          (await tooManyOwnLive(transaction, ownLiveRuns, request));
        if (refused) return refused;
        await insert(transaction, request);
        return { outcome: 'accepted' };
      });
    },

    /** Has a request that wasn't started tried again, once, unless that would exceed a limit of active runs. */
    async tryAgainWithin(
      { liveRuns, ownLiveRuns }: Pick<StartLimits, 'liveRuns' | 'ownLiveRuns'>,
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
        const refused =
          (await tooManyLive(transaction, liveRuns, request)) ??
          (await tooManyOwnLive(transaction, ownLiveRuns, request));
        if (refused) return refused;
        const isDone = await createRequestMarks(transaction).tryAgain(request.id);
        return { outcome: isDone ? 'accepted' : 'repeated' };
      });
    },
  };
}

type Started = Pick<RunRequest, 'id' | 'teamId' | 'creatorId' | 'origin'>;

type Within = Transaction<DatabaseSchema>;
type Asked = Pick<NewRequest, 'teamId' | 'creatorId' | 'origin'>;

async function tooManyLately(
  transaction: Within,
  { most, withinMs }: { most: number | undefined; withinMs: number },
  request: NewRequest,
): Promise<Acceptance | undefined> {
  if (most === undefined) return undefined;
  const since = request.acceptedAt - withinMs;
  const rows = await ownRequests(transaction, request, (all) =>
    all.where('accepted_at', '>', since),
  );
  // When the oldest of the last `most` requests is that old, the next may start.
  const last = rows[rows.length - most];
  if (!last) return undefined;
  const outcome = withinMs === dayMs ? 'too_many_today' : 'too_many_this_hour';
  return { outcome, used: rows.length, freeAt: last.accepted_at + withinMs };
}

async function tooManyOwnLive(
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

/** Of a person, or of a workflow that this request is of; oldest first. */
async function ownRequests(
  transaction: Within,
  { teamId, creatorId, origin }: Asked,
  which: (all: Query) => Query,
): Promise<Row[]> {
  const all = which(transaction.selectFrom('requests').select(['accepted_at', 'origin_json']));
  const workflow = workflowOf(origin);
  const found = workflow ? all.where('team_id', '=', teamId) : ofPerson(all, { teamId, creatorId });
  const rows = await found.orderBy('accepted_at').execute();
  return rows.filter((row) => workflowOf(parseOrigin(row.origin_json)) === workflow);
}

/** Workflows without a name count as one. Undefined for a person's run. */
const workflowOf = (origin: NewRequest['origin']): string | undefined =>
  origin?.workflow && `workflow ${origin.workflow.name ?? ''}`;

const parseOrigin = (json: string | null) =>
  json === null ? null : requestOriginSchema.safeParse(JSON.parse(json)).data;

async function tooManyLive(
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
