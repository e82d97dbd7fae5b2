import { isPostgres, nowMs } from 'base/database/clock';
import type { Db } from './schema.ts';
import { addToCounters, lockCounters, lockKeys } from './spend.ts';

/** Usage that an agent program reported itself, because its calls don't go through the model gateway. */
export type ReportedUsage = {
  /** ID of the row. A later report with the same ID replaces the earlier one. */
  id: string;
  runId: string;
  environmentId: string;
  labels: { workspace: string | undefined; person: string; channel: string | undefined };
  spendKeys: readonly string[];
  model: string;
  tokens: number | undefined;
  micros: number;
};

/** Creates the store for usage that agent programs report. It counts for caps like a model call. */
export function createReportedUsages(db: Db) {
  return {
    async save(report: ReportedUsage): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const keys = [...new Set(report.spendKeys)].sort();
        await lockKeys(trx, keys, 'shared');
        const before = await trx
          .selectFrom('service_model_calls')
          .select(['started_at', 'price_micros'])
          .where('id', '=', report.id)
          .$if(isPostgres(trx), (query) => query.forUpdate())
          .executeTakeFirst();
        const { now } = await trx.selectNoFrom(nowMs(trx).as('now')).executeTakeFirstOrThrow();
        const startedAt = before?.started_at ?? now;
        const changing = {
          ended_at: now,
          input_tokens: report.tokens ?? null,
          price_micros: report.micros,
        };
        await trx
          .insertInto('service_model_calls')
          .values({
            id: report.id,
            run_id: report.runId,
            environment_id: report.environmentId,
            workspace: report.labels.workspace ?? null,
            person: report.labels.person,
            channel: report.labels.channel ?? null,
            provider: 'agent',
            api: 'reported',
            model: report.model,
            started_at: startedAt,
            outcome: 'completed',
            estimated: 1,
            reserved_micros: 0,
            spend_keys_json: JSON.stringify(keys),
            ...changing,
          })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
          .execute();
        const counters = await lockCounters(trx, keys, startedAt);
        if (counters.length === 0) return;
        const spent = report.micros - (before?.price_micros ?? 0);
        await addToCounters(trx, { keys, startedAt }, { spent, reserved: 0 });
      });
    },
  };
}
export type ReportedUsages = ReturnType<typeof createReportedUsages>;
