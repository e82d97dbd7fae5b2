import { sql } from 'kysely';
import type { Db } from './schema.ts';
import type { SpendCap } from './spend-cap.ts';

/** Request of a run to spend more than a cap. It's stored with its question. */
export type SpendRequest = {
  cap: SpendCap;
  /** Period of the counter that is used up. */
  period: string;
  /** Amount to allow, in millionths of a US dollar. */
  amountMicros: number;
  /** Time when the run is stopped if no one answers, in epoch ms. */
  expiresAt: number;
  /** Sentence about the amount spent, with which the run ends if it's stopped. */
  reached: string;
};

export const readSpendRequest = (json: string): SpendRequest => JSON.parse(json);

/** IDs of the options of a question about spending. */
export const spendOptions = { allow: 'allow', stop: 'stop' } as const;

/** Allows the run to spend the requested amount, in the transaction that closes its question. */
export async function allowSpending(trx: Db, request: SpendRequest): Promise<void> {
  const { cap, period, amountMicros } = request;
  const column = cap.setBy === 'operator' ? 'allowed' : 'caller_allowed';
  await trx
    .updateTable('service_spend')
    .set({ [column]: sql`${sql.ref(column)} + ${sql.lit(amountMicros)}` })
    .where('key', '=', cap.key)
    .where('period', '=', period)
    .execute();
}

/** Stops the spending of a run for good, in the transaction that closes its question. The run's process then ends it. */
export async function stopSpending(
  trx: Db,
  runId: string,
  { reached }: SpendRequest,
  why: 'stopped' | 'unanswered',
): Promise<void> {
  const end = why === 'stopped' ? 'It was stopped there.' : 'No one allowed more in time.';
  await trx
    .updateTable('service_runs')
    .set({ spend_stopped: `${reached} ${end}` })
    .where('id', '=', runId)
    .execute();
}
