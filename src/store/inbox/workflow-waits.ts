import type { Db } from '../schema.ts';

export type WorkflowWaits = ReturnType<typeof createWorkflowWaits>;

/** A workflow step, by the id of its execution, and its request. */
export type WorkflowWait = { executionId: string; requestId: string };

const mostAtOnce = 200;

/** Workflow steps that wait for their run. */
export function createWorkflowWaits(db: Db) {
  return {
    async add(
      { executionId, requestId }: WorkflowWait,
      waitsFor: 'end' | 'beginning',
      now: number,
    ): Promise<void> {
      await db
        .insertInto('workflow_waits')
        .values({
          execution_id: executionId,
          request_id: requestId,
          created_at: now,
          waits_for: waitsFor,
        })
        .onConflict((conflict) => conflict.column('execution_id').doNothing())
        .execute();
    },

    async isEmpty(): Promise<boolean> {
      const row = await db
        .selectFrom('workflow_waits')
        .select('execution_id')
        .limit(1)
        .executeTakeFirst();
      return row === undefined;
    },

    /** Steps whose run may have come far enough, oldest first. */
    async ready(): Promise<WorkflowWait[]> {
      const rows = await db
        .selectFrom('workflow_waits')
        .leftJoin('requests', 'requests.id', 'workflow_waits.request_id')
        .select(['execution_id', 'request_id'])
        .where((row) =>
          row.or([
            row('requests.id', 'is', null),
            row('requests.step', 'in', ['ended', 'not_started']),
            row.and([row('requests.run_id', 'is not', null), row('waits_for', '<>', 'end')]),
          ]),
        )
        .orderBy('created_at')
        .limit(mostAtOnce)
        .execute();
      return rows.map((row) => ({ executionId: row.execution_id, requestId: row.request_id }));
    },

    async remove(executionId: string): Promise<void> {
      await db.deleteFrom('workflow_waits').where('execution_id', '=', executionId).execute();
    },
  };
}
