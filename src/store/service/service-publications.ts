import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type PublishRunRequest, publishRunRequestSchema } from 'runs-client/publication';
import { z } from 'zod';
import type { Finished, Lease } from '../../lib/leased-work.ts';
import { createColumns } from '../columns.ts';
import { nowMs } from '../database/clock.ts';
import { Secret } from '../encryption/secret.ts';
import { createLeases } from '../leases.ts';
import type { Db } from '../schema.ts';

const pullRequestSchema = z.object({
  number: z.number(),
  url: z.string(),
  state: z.enum(['open', 'draft', 'merged', 'closed']),
  title: z.string(),
  checks: z.enum(['passing', 'failing', 'pending']).optional(),
  review: z.enum(['approved', 'changes_requested']).optional(),
});
/** A pull request, or GitLab's merge request, as it was when we last looked. */
export type PullRequest = z.infer<typeof pullRequestSchema>;

const publicationSchema = z.object({
  id: z.string(),
  conversationId: z.string(),
  runId: z.string(),
  wanted: publishRunRequestSchema,
  asked: z.number(),
  askedAt: z.number(),
  done: z.number(),
  problem: z.string().nullable(),
  branch: z.string(),
  base: z.string().nullable(),
  tip: z.string().nullable(),
  tried: z.array(z.string()),
  pullRequest: pullRequestSchema.nullable(),
  remark: z.string().nullable(),
  createdAt: z.number(),
  publishedAt: z.number().nullable(),
  failures: z.number(),
  version: z.number(),
});
/** See `ServicePublicationsTable`. */
export type Publication = z.infer<typeof publicationSchema>;
export type PublicationChanges = Partial<Publication>;

const { read, write } = createColumns(publicationSchema);

export type PublicationRequest = {
  run: { id: string; conversation_id: string };
  branch: string;
  wanted: PublishRunRequest;
};

/** Asks for the run's changes. The same request again changes nothing, unless the last one failed. */
async function ask(db: Db, { run, branch, wanted }: PublicationRequest): Promise<Publication> {
  return db.transaction().execute(async (trx) => {
    const now = Date.now();
    const id = randomUUID();
    // Written first: the row is the lock between requests for one conversation.
    await trx
      .insertInto('service_publications')
      .values({
        ...{ id, conversation_id: run.conversation_id, run_id: run.id, branch },
        wanted_json: new Secret('wanted_json', id, JSON.stringify(wanted)),
        ...{ asked: 0, asked_at: now, done: 0 },
        ...{ problem: null, base: null, tip: null, tried_json: '[]', pull_request_json: null },
        ...{ remark: null, created_at: now, published_at: null, due_at: null, lease_owner: null },
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
    const asked = { runId: run.id, wanted, asked: earlier.asked + 1, askedAt: now, problem: null };
    await trx
      .updateTable('service_publications')
      .set({ ...write(asked, earlier.id), failures: 0, due_at: nowMs(trx) })
      .where('id', '=', earlier.id)
      .execute();
    const published = { publication_id: earlier.id, asked: asked.asked };
    await trx
      .insertInto('service_published_runs')
      .values({ run_id: run.id, ...published })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(published))
      .execute();
    return { ...earlier, ...asked, failures: 0 };
  });
}

export function createServicePublications(db: Db) {
  const leases = createLeases(db, 'service_publications');
  return {
    ask: (request: PublicationRequest) => ask(db, request),
    renew: leases.renew,
    check: leases.check,
    nextDueInMs: leases.nextDueInMs,

    claim: async (owner: string, leaseMs: number, limit: number) =>
      (await leases.claim(owner, leaseMs, limit)).map(read),

    /** @throws LeaseLost if another process has the lease; then nothing is written */
    async record(lease: Lease, changes: PublicationChanges): Promise<void> {
      await leases.write(lease, write(changes, lease.id), ['id']);
    },

    async release(finished: readonly Finished<PublicationChanges>[]): Promise<string[]> {
      const released = await Promise.all(
        finished.map(({ lease, changes, dueAt }) =>
          leases.release(lease, write(changes, lease.id), dueAt),
        ),
      );
      return finished.filter((_, index) => !released[index]).map(({ lease }) => lease.id);
    },

    /** The publications of these runs, with the number of each run's own request. */
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
export type ServicePublications = ReturnType<typeof createServicePublications>;
