import { sql } from 'kysely';
import type { Run } from 'runs-client/contract';
import { isPostgres, nowMs } from './clock.ts';
import { type Requests, updateMany } from './lock-order.ts';
import { newsTime, type RequestProblem, type RunRequest, readRow } from './request-row.ts';
import type { Db } from './schema.ts';

export type FollowedRunsStore = ReturnType<typeof createFollowedRunsStore>;

/** Databases take only so many values in one statement: an id is one, news are three. */
const mostAtOnce = 5_000;

/** The runs that are being followed, all at once: what a sweep asks and tells. */
export function createFollowedRunsStore(db: Db) {
  const areFollowed = (requests: Requests) =>
    requests.where('step', '=', 'following').where('unfollowed_at', 'is', null);
  const followed = () => areFollowed(db.selectFrom('requests'));

  const nextAfter = (runId: string) =>
    followed()
      .selectAll()
      .where('run_id', '>', runId)
      .orderBy('run_id')
      .limit(1)
      .executeTakeFirst();

  async function deliver(runs: readonly Run[]): Promise<void> {
    const told = runs.map(
      (run) =>
        sql`(cast(${run.run_id} as text), cast(${JSON.stringify(run)} as text), cast(${newsTime(run)} as bigint))`,
    );
    // A service may keep whole seconds: of two answers with the same time the later counts.
    const inOrder = isPostgres(db) ? sql`order by requests.id for update of requests` : sql``;
    await sql`
      with told(run_id, news, at) as (values ${sql.join(told)}),
      changed as (
        select requests.id, told.news, told.at from requests join told on requests.run_id = told.run_id
        where requests.step = 'following'
          and requests.unfollowed_at is null
          and requests.run_json is distinct from told.news
          and requests.news_json is distinct from told.news
          and (requests.news_at is null or requests.news_at <= told.at)
        ${inOrder}
      )
      update requests set news_json = changed.news, news_at = changed.at, due_at = ${nowMs(db)}
      from changed where requests.id = changed.id
    `.execute(db);
  }

  return {
    /**
     * Hands over what was seen of runs, a page in one statement; a request whose run has changed is due at once. Runs
     * that nobody follows, or that are as they were known, change nothing.
     */
    async deliverNews(runs: readonly Run[]): Promise<void> {
      // PostgreSQL has no text with this character, so that no run of ours is called so.
      const possible = runs.filter(({ run_id: id }) => !id.includes('\u0000'));
      const newest = [...new Map(possible.map((run) => [run.run_id, run])).values()];
      for (const some of inParts(newest)) await deliver(some);
    },

    /** When the youngest followed request was accepted; undefined when none is followed. */
    async youngestAcceptedAt(): Promise<number | undefined> {
      const row = await followed()
        .select('accepted_at')
        .orderBy('accepted_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.accepted_at;
    },

    /** Likewise of those that have tried to get a run, and wait to try again. */
    async youngestWaitingAt(): Promise<number | undefined> {
      const row = await db
        .selectFrom('requests')
        .select((row) => row.fn.max('accepted_at').as('at'))
        .where('step', '=', 'posted')
        .where('problem_json', 'is not', null)
        .executeTakeFirst();
      return row?.at ?? undefined;
    },

    /** The service is back: they need not wait until their time has come. */
    async hurryWaiting(): Promise<void> {
      await updateMany(db, (requests) =>
        requests.where('step', '=', 'posted').where('problem_json', 'is not', null),
      )
        .set({ due_at: nowMs(db) })
        .execute();
    },

    /** The followed request whose run comes after this one in the order of their ids; the first after the last. */
    async next(runId: string | null): Promise<RunRequest | undefined> {
      const row = (await nextAfter(runId ?? '')) ?? (await nextAfter(''));
      return row && readRow(row);
    },

    async runIds(): Promise<string[]> {
      const rows = await followed().select('run_id').execute();
      return rows.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
    },

    /** Has these runs, or all, looked at by themselves now. */
    async lookNow(runIds?: readonly string[]): Promise<void> {
      const look = (some?: readonly string[]) =>
        updateMany(db, (requests) => {
          const inStep = requests.where('step', '=', 'following');
          return some ? inStep.where('run_id', 'in', some) : inStep;
        })
          .set({ look_at: nowMs(db), due_at: nowMs(db) })
          .execute();
      if (!runIds) await look();
      else for (const some of inParts(runIds)) await look(some);
    },

    /** Has every followed request's message say what stands in the way. */
    async tellAll(problem: RequestProblem): Promise<void> {
      await updateMany(db, (requests) => areFollowed(requests).where('problem_json', 'is', null))
        .set({ problem_json: JSON.stringify(problem), due_at: nowMs(db) })
        .execute();
    },

    async untellAll(): Promise<void> {
      await updateMany(db, (requests) =>
        areFollowed(requests).where('problem_json', 'is not', null),
      )
        .set({ problem_json: null, due_at: nowMs(db) })
        .execute();
    },
  };
}

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += mostAtOnce)
    yield all.slice(from, from + mostAtOnce);
}
