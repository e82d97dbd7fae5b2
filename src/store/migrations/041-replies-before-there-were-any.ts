import type { Kysely } from 'kysely';

/** Runs that ended under an older version are not announced late. */
export async function up(db: Kysely<{ requests: Requests }>): Promise<void> {
  await db
    .updateTable('requests')
    .set((column) => ({ replied_at: column.ref('ended_at') }))
    .where('step', '=', 'ended')
    .execute();
}

type Requests = { step: string; ended_at: number | null; replied_at: number | null };
