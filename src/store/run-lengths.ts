import type { Db } from './schema.ts';

export type RunLengths = ReturnType<typeof createRunLengths>;

/** What is usual in an environment, in milliseconds; undefined where too little was seen to say so. */
export type UsualLengths = { waitMs?: number | undefined; workMs?: number | undefined };

export type RunLength = {
  requestId: string;
  /** As it was asked for; empty for the default of the runs service. */
  environment: string;
  waitedMs: number | null;
  workedMs: number | null;
  endedAt: number;
};

/** Older runs say little about now. */
const lookedAt = 20;
/** The median of fewer is chance. */
const enough = 5;

/** How long the runs of this store waited before they began, and worked. */
export function createRunLengths(db: Db) {
  return {
    async note(length: RunLength): Promise<void> {
      await db
        .insertInto('run_lengths')
        .values({
          request_id: length.requestId,
          environment: length.environment,
          waited_ms: length.waitedMs,
          worked_ms: length.workedMs,
          ended_at: length.endedAt,
        })
        .onConflict((conflict) => conflict.column('request_id').doNothing())
        .execute();
    },

    async usual(environment: string): Promise<UsualLengths> {
      const rows = await db
        .selectFrom('run_lengths')
        .select(['waited_ms', 'worked_ms'])
        .where('environment', '=', environment)
        .orderBy('ended_at', 'desc')
        .limit(lookedAt)
        .execute();
      return {
        waitMs: median(rows.map((row) => row.waited_ms)),
        workMs: median(rows.map((row) => row.worked_ms)),
      };
    },
  };
}

function median(values: readonly (number | null)[]): number | undefined {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known.length < enough ? undefined : known[Math.floor(known.length / 2)];
}
