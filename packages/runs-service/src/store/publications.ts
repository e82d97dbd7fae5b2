import { randomUUID } from 'node:crypto';
import { nowMs } from 'base/database/clock';
import { createColumns } from 'base/database/columns';
import { claimOneByOne, createLeases } from 'base/database/leases';
import { Secret } from 'base/encryption/secret';
import type { Finished, Lease } from 'base/leased-work';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PublishRunRequest } from 'runs-client/publication';
import { owners } from './encrypted-columns.ts';
import {
  type Publication,
  type PublicationChanges,
  publicationSchema,
  type WantedAction,
} from './publication.ts';
import { changeRun } from './run-changes.ts';
import type { DatabaseSchema, Db } from './schema.ts';

const { read, write } = createColumns(publicationSchema, owners);

type PublicationRequest = {
  run: { id: string; conversation_id: string };
  branch: string;
  wanted: PublishRunRequest;
};

/** Requests publishing of a run's changes. A repeated request has no effect, unless publishing failed. */
async function ask(db: Db, { run, branch, wanted }: PublicationRequest): Promise<Publication> {
  return db.transaction().execute(async (trx) => {
    const now = Date.now();
    const id = randomUUID();
    // Write before reading, because the row is the lock between requests for one conversation.
    await trx
      .insertInto('service_publications')
      .values({
        id,
        conversation_id: run.conversation_id,
        run_id: run.id,
        branch,
        wanted_json: new Secret('wanted_json', id, JSON.stringify(wanted)),
        asked: 0,
        asked_at: now,
        done: 0,
        problem: null,
        base: null,
        tip: null,
        tried_json: '[]',
        pull_request_json: null,
        action_json: null,
        followed_json: null,
        remark: null,
        created_at: now,
        published_at: null,
        due_at: null,
        lease_owner: null,
      })
      .onConflict((conflict) =>
        conflict
          .column('conversation_id')
          .doUpdateSet({ created_at: sql`service_publications.created_at` }),
      )
      .execute();
    const row = await trx
      .selectFrom('service_publications')
      .selectAll()
      .where('conversation_id', '=', run.conversation_id)
      .executeTakeFirstOrThrow();
    const earlier = read(row);
    const isSame =
      earlier.asked > 0 &&
      earlier.runId === run.id &&
      JSON.stringify(earlier.wanted) === JSON.stringify(wanted);
    const hasFailed = earlier.done === earlier.asked && earlier.problem !== null;
    if (isSame && !hasFailed) return earlier;
    const request = {
      runId: run.id,
      wanted,
      asked: earlier.asked + 1,
      askedAt: now,
      problem: null,
    };
    await trx
      .updateTable('service_publications')
      .set({ ...write(request, earlier.id), failures: 0, due_at: nowMs(trx) })
      .where('id', '=', earlier.id)
      .execute();
    const published = { publication_id: earlier.id, asked: request.asked };
    await trx
      .insertInto('service_published_runs')
      .values({ run_id: run.id, ...published })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(published))
      .execute();
    return { ...earlier, ...request, failures: 0 };
  });
}

/** Returns the order of due work, in which people's requests come before polls of pull requests. */
const wantedFirst = (now: RawBuilder<number>) =>
  [
    sql<SqlBool>`due_at <= ${now} and (done < asked or action_json is not null)`,
    sql<SqlBool>`due_at <= ${now} and done >= asked and action_json is null`,
  ] as const;

export function createPublications(db: Db) {
  const leases = createLeases(db, 'service_publications', { order: wantedFirst });
  return {
    ask: (request: PublicationRequest) => ask(db, request),
    /**
     * Requests an action on the pull request, such as a merge. Stores it only if no action is pending and no changes
     * are being published. Returns true if the action is stored, now or earlier.
     */
    async askAction(id: string, wanted: WantedAction): Promise<boolean> {
      const stored = await db
        .updateTable('service_publications')
        .set({ ...write({ action: wanted }, id), failures: 0, due_at: nowMs(db) })
        .where('id', '=', id)
        .where('action_json', 'is', null)
        .whereRef('done', '>=', 'asked')
        .executeTakeFirst();
      if (stored.numUpdatedRows === 1n) return true;
      const row = await db
        .selectFrom('service_publications')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined && read(row).action?.action === wanted.action;
    },

    renew: leases.renew,
    check: leases.check,
    nextDueInMs: leases.nextDueInMs,

    claim: claimOneByOne(leases, read),

    /**
     * Stores changes to the publication that people don't see.
     * @throws LeaseLost if another process has the lease; then nothing is written
     */
    async record(lease: Lease, changes: PublicationChanges): Promise<void> {
      await leases.write(lease, write(changes, lease.id), ['id']);
    },

    /**
     * Stores changes to the publication that people see. Marks the publication's runs as changed, and adds the note to
     * the timeline of the latest run.
     * @throws LeaseLost if another process has the lease
     */
    async announce(lease: Lease, changes: PublicationChanges, note?: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { run_id: latest } = await createLeases<DatabaseSchema, 'service_publications'>(
          trx,
          'service_publications',
        ).write(lease, write(changes, lease.id), ['run_id']);
        const runs = await trx
          .selectFrom('service_published_runs')
          .select('run_id')
          .where('publication_id', '=', lease.id)
          .orderBy('run_id')
          .execute();
        for (const { run_id: id } of runs)
          await changeRun(trx, id, {}, id === latest && note !== undefined ? { note } : {});
      });
    },

    release: (finished: readonly Finished<PublicationChanges>[]): Promise<string[]> =>
      leases.release(finished, ({ lease, changes }) => write(changes, lease.id)),

    /** Returns the publications of these runs. `mine` is the number of the run's own publish request. */
    async ofRuns(runIds: readonly string[]): Promise<Map<string, Publication & { mine: number }>> {
      if (runIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('service_published_runs as published')
        .innerJoin('service_publications as row', 'row.id', 'published.publication_id')
        .selectAll('row')
        .select(['published.run_id as for_run', 'published.asked as mine'])
        .where('published.run_id', 'in', runIds)
        .execute();
      return new Map(rows.map((row) => [row.for_run, { ...read(row), mine: row.mine }]));
    },
  };
}
export type Publications = ReturnType<typeof createPublications>;
