import { nowMs } from 'base/database/clock';
import { createColumns } from 'base/database/columns';
import { Secret } from 'base/encryption/secret';
import type { Insertable } from 'kysely';
import {
  type Answer,
  type AnswerOutcome,
  answerableAfter,
  answerSchema,
  type NewAnswer,
} from '../../requests/answer.ts';
import { insertEntry } from '../audit/audit.ts';
import { isOwned } from '../database-owner.ts';
import { owners } from '../encrypted-columns.ts';
import { wake } from '../outbox/outbox.ts';
import type { AnswersTable, Db } from '../schema.ts';

export type Answers = ReturnType<typeof createAnswers>;

const columns = createColumns(answerSchema, owners);
const unsent = { beganAt: null, retryAt: null, outcome: null, problem: null };

/**
 * Stores people's answers to agents, one for each question. The follower sends an answer, and the question's post shows
 * it.
 */
export function createAnswers(db: Db) {
  const unsettled = (id: string) =>
    db.updateTable('answers').where('id', '=', id).where('outcome', 'is', null);

  return {
    async find(id: string): Promise<Answer | undefined> {
      const row = await db
        .selectFrom('answers')
        .selectAll()
        .where('id', '=', id)
        .where(isOwned('answers'))
        .executeTakeFirst();
      return row && columns.read(row);
    },

    /**
     * Stores an answer. Only the first answer to a question applies, unless it didn't reach the agent. Returns false
     * for later answers.
     */
    give: (answer: NewAnswer): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const row = columns.write({ ...answer, ...unsent }, answer.id) as Insertable<AnswersTable>;
        const { id: _, ...again } = row;
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('answers')
          .values(row)
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet(again)
              .where('answers.outcome', 'in', [...answerableAfter]),
          )
          .executeTakeFirst();
        if (Number(numInsertedOrUpdatedRows ?? 0n) === 0) return false;
        await insertEntry(transaction, {
          teamId: answer.teamId,
          actorId: answer.answeredBy,
          action: answer.given.isAboutSpending ? 'spending_decided' : 'question_answered',
          entity: { type: 'run', id: answer.requestId },
          ...(answer.given.isAboutSpending && { details: { decision: answer.given.text } }),
        });
        await transaction
          .updateTable('requests')
          .set({ pending_answer: answer.id, due_at: nowMs(db) })
          .where('id', '=', answer.requestId)
          .execute();
        await wake(transaction, answer.id);
        return true;
      }),

    /** Records that an answer is about to be sent. Returns false if another replica has sent it since it was read. */
    async begin({ id, beganAt }: Pick<Answer, 'id' | 'beganAt'>, now: number): Promise<boolean> {
      const updated = await unsettled(id)
        .set({ began_at: now })
        .where('began_at', 'is not distinct from', beganAt)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },

    /**
     * Schedules another try to send an answer.
     * @param isUndone true if the answer certainly didn't reach the service
     */
    async retryLater(id: string, retryAt: number, isUndone: boolean): Promise<void> {
      await unsettled(id)
        .set({ retry_at: retryAt, ...(isUndone && { began_at: null }) })
        .execute();
    },

    settle: (
      { id, requestId }: Pick<Answer, 'id' | 'requestId'>,
      outcome: AnswerOutcome,
      problem: string | null,
    ): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const said = problem === null ? null : new Secret('problem', id, problem);
        await transaction
          .updateTable('answers')
          .set({ outcome, problem: said, retry_at: null })
          .where('id', '=', id)
          .where('outcome', 'is', null)
          .execute();
        // Find an earlier answer that still waits. Someone may have answered the next question before the service
        // responded.
        const left = await transaction
          .selectFrom('outbox')
          .innerJoin('answers', 'answers.id', 'outbox.id')
          .select('answers.id')
          .where('outbox.request_id', '=', requestId)
          .where('answers.outcome', 'is', null)
          .orderBy('answers.answered_at')
          .executeTakeFirst();
        // Clear the pending answer only if it's still this one, because someone may have answered the next question.
        await transaction
          .updateTable('requests')
          .set({ pending_answer: left?.id ?? null, ...(left && { due_at: nowMs(db) }) })
          .where('id', '=', requestId)
          .where('pending_answer', '=', id)
          .execute();
        await wake(transaction, id);
      }),
  };
}
