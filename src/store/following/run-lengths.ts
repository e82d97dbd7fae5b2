import { createColumns } from 'base/database/columns';
import type { z } from 'zod';
import type { UsualLengths } from '../../requests/run-progress.ts';
import { owners } from '../encrypted-columns.ts';
import type { Db } from '../schema.ts';
import { lengthSchema, type RunLengthsTable } from '../schema-outbox.ts';

export type RunLengths = ReturnType<typeof createRunLengths>;

export type RunLength = z.infer<typeof lengthSchema>;
const columns = createColumns(lengthSchema, owners);

/** Number of newest runs that the median uses. */
const sampleSize = 20;
/** Min number of runs for a median. With fewer, the median depends too much on chance. */
const minSamples = 5;

/** Reads how long runs waited before they started, and how long they worked. */
export function createRunLengths(db: Db) {
  return {
    async note(length: RunLength): Promise<void> {
      await db
        .insertInto('run_lengths')
        .values(columns.write(length) as RunLengthsTable)
        .onConflict((conflict) => conflict.column('request_id').doNothing())
        .execute();
    },

    async usual(environment: string): Promise<UsualLengths> {
      const rows = await db
        .selectFrom('run_lengths')
        .select(['waited_ms', 'worked_ms'])
        .where('environment', '=', environment)
        .orderBy('ended_at', 'desc')
        .limit(sampleSize)
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
  return known.length < minSamples ? undefined : known[Math.floor(known.length / 2)];
}
