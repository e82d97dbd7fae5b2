import type { Db } from './database.ts';

export type WorkflowWaits = ReturnType<typeof createWorkflowWaits>;

/** Steps of workflows that have not been told yet how their run goes. */
export function createWorkflowWaits(db: Db) {
  return {
    async add(executionId: string, requestId: string, now: number): Promise<void> {
      await db
        .insertInto('workflow_waits')
        .values({ execution_id: executionId, request_id: requestId, created_at: now })
        .onConflict((conflict) => conflict.column('execution_id').doNothing())
        .execute();
    },

    async list(): Promise<{ executionId: string; requestId: string }[]> {
      const rows = await db
        .selectFrom('workflow_waits')
        .select(['execution_id', 'request_id'])
        .orderBy('created_at')
        .limit(200)
        .execute();
      return rows.map((row) => ({ executionId: row.execution_id, requestId: row.request_id }));
    },

    async remove(executionId: string): Promise<void> {
      await db.deleteFrom('workflow_waits').where('execution_id', '=', executionId).execute();
    },
  };
}
