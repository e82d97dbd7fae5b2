import { sql, type Transaction } from 'kysely';
import { requestOriginSchema } from '../../requests/origin.ts';
import { liveSteps } from '../../requests/steps.ts';
import { isPostgres, nowMs } from '../database/clock.ts';
import { prepare } from '../database/prepared.ts';
import type { DatabaseSchema, Db } from '../schema.ts';
import { firstRow, type NewRequest } from './request-row.ts';
import { ofPerson } from './requests-of-person.ts';

/** Undefined means no limit. */
export type StartLimits = {
  /** Of one person or workflow, in 24 hours. */
  runsPerDay?: number | undefined;
  /** Of the whole workspace. */
  liveRuns?: number | undefined;
};

/** `repeated`: stored before. `used`: how many there are. `freeAt`: when the person may start again (epoch milliseconds). */
export type Acceptance =
  | { outcome: 'accepted' | 'repeated' }
  | { outcome: 'too_many_today'; used: number; freeAt: number }
  | { outcome: 'too_many_live'; used: number };

const dayMs = 24 * 60 * 60 * 1000;

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
    async acceptWithin(limits: StartLimits, request: NewRequest): Promise<Acceptance> {
      if (limits.runsPerDay === undefined && limits.liveRuns === undefined) {
        return { outcome: (await insert(db, request)) ? 'accepted' : 'repeated' };
      }
      return db.transaction().execute(async (transaction) => {
        // SQLite lets one transaction write at a time anyway.
        if (isPostgres(db)) {
          const key = `limits of ${request.teamId}`;
          await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(transaction);
        }
        const before = await transaction
          .selectFrom('requests')
          .select('id')
          .where('id', '=', request.id)
          .executeTakeFirst();
        if (before) return { outcome: 'repeated' };
        const refused =
          (await tooManyToday(transaction, limits, request)) ??
          (await tooManyLive(transaction, limits, request));
        if (refused) return refused;
        await insert(transaction, request);
        return { outcome: 'accepted' };
      });
    },
  };
}

async function tooManyToday(
  transaction: Transaction<DatabaseSchema>,
  { runsPerDay }: StartLimits,
  { teamId, creatorId, acceptedAt, origin }: NewRequest,
): Promise<Acceptance | undefined> {
  if (runsPerDay === undefined) return undefined;
  const today = transaction
    .selectFrom('requests')
    .select(['accepted_at', 'origin_json'])
    .where('accepted_at', '>', acceptedAt - dayMs);
  const workflow = workflowOf(origin);
  const found = workflow
    ? today.where('team_id', '=', teamId)
    : ofPerson(today, { teamId, creatorId });
  const all = await found.orderBy('accepted_at').execute();
  const rows = all.filter((row) => workflowOf(parseOrigin(row.origin_json)) === workflow);
  // When the oldest of the last `runsPerDay` requests is a day old, the next may start.
  const last = rows[rows.length - runsPerDay];
  if (!last) return undefined;
  return { outcome: 'too_many_today', used: rows.length, freeAt: last.accepted_at + dayMs };
}

/** Workflows without a name count as one. Undefined for a person's run. */
const workflowOf = (origin: NewRequest['origin']): string | undefined =>
  origin?.workflow && `workflow ${origin.workflow.name ?? ''}`;

const parseOrigin = (json: string | null) =>
  json === null ? null : requestOriginSchema.safeParse(JSON.parse(json)).data;

async function tooManyLive(
  transaction: Transaction<DatabaseSchema>,
  { liveRuns }: StartLimits,
  { teamId }: NewRequest,
): Promise<Acceptance | undefined> {
  if (liveRuns === undefined) return undefined;
  const row = await transaction
    .selectFrom('requests')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('step', 'in', liveSteps)
    .executeTakeFirst();
  const used = Number(row?.count ?? 0);
  return used >= liveRuns ? { outcome: 'too_many_live', used } : undefined;
}
