import { isPostgres } from 'base/database/clock';
import { Secret } from 'base/encryption/secret';
import type { Transaction } from 'kysely';
import { changeRun } from './run-changes.ts';
import { askTime, closeQuestion, openQuestionOf, type StoredQuestion } from './run-questions.ts';
import { activeStates } from './runs.ts';
import type { DatabaseSchema, Db } from './schema.ts';
import { readSpendRequest, type SpendRequest, stopSpending } from './spend-request.ts';

/** Result of asking. `busy` means that the run waits for the answer to another question. */
export type Asked =
  | { outcome: 'asked'; questionId: string }
  | { outcome: 'stopped'; message: string }
  | { outcome: 'busy' | 'ended' };

type NewQuestion = { id: string; json: string; note: string };

async function lockRun(trx: Transaction<DatabaseSchema>, id: string) {
  const query = trx
    .selectFrom('service_runs')
    .select(['state', 'spend_stopped'])
    .where('id', '=', id);
  return (isPostgres(trx) ? query.forUpdate() : query).executeTakeFirst();
}

/** Creates the store for the questions of runs that have reached a cap. */
export function createSpendQuestions(db: Db) {
  const close = (runId: string, questionId: string, note: string, isStopped: boolean) =>
    db.transaction().execute(async (trx) => {
      const question = await openQuestionOf(trx, runId).executeTakeFirst();
      if (question?.question_id !== questionId || question.spend_json === null) return false;
      if (!(await closeQuestion(trx, question, {}, note))) return false;
      if (isStopped)
        await stopSpending(trx, runId, readSpendRequest(question.spend_json), 'unanswered');
      return true;
    });

  return {
    /**
     * Asks if the run can spend more, and blocks the run. If such a question is open, returns that one. Closes a
     * question that a restart interrupted.
     */
    ask: (runId: string, question: NewQuestion, request: SpendRequest): Promise<Asked> =>
      db.transaction().execute(async (trx) => {
        const run = await lockRun(trx, runId);
        if (!run || !activeStates.includes(run.state)) return { outcome: 'ended' };
        if (run.spend_stopped !== null) return { outcome: 'stopped', message: run.spend_stopped };
        if (run.state === 'BLOCKED') {
          const open = await openQuestionOf(trx, runId).executeTakeFirst();
          if (!open || open.spend_json === null) return { outcome: 'busy' };
          return { outcome: 'asked', questionId: open.question_id };
        }
        await closeInterrupted(trx, runId);
        await insert(trx, runId, question, request);
        await changeRun(trx, runId, {}, { state: 'BLOCKED', note: question.note });
        return { outcome: 'asked', questionId: question.id };
      }),

    /** Lists the open questions of all runs. */
    async listOpen(): Promise<(Pick<StoredQuestion, 'run_id' | 'question_id'> & SpendRequest)[]> {
      const rows = await db
        .selectFrom('service_run_questions as q')
        .innerJoin('service_runs as r', 'r.id', 'q.run_id')
        .select(['q.run_id', 'q.question_id', 'q.spend_json'])
        .where('q.spend_json', 'is not', null)
        .where('q.closed_at', 'is', null)
        .where('r.state', '=', 'BLOCKED')
        .execute();
      return rows.map(({ spend_json: json, ...row }) => ({
        ...row,
        ...readSpendRequest(json ?? ''),
      }));
    },

    /** Closes a question without an answer, and stops the run's spending. Returns false if it isn't open anymore. */
    stop: (runId: string, questionId: string, note: string) => close(runId, questionId, note, true),

    /** Closes a question that needs no answer anymore. Returns false if it isn't open anymore. */
    dismiss: (runId: string, questionId: string, note: string) =>
      close(runId, questionId, note, false),

    /** Returns the state of a question and of its run. */
    async read(runId: string, questionId: string) {
      return db
        .selectFrom('service_runs as r')
        .leftJoin('service_run_questions as q', (join) =>
          join.onRef('q.run_id', '=', 'r.id').on('q.question_id', '=', questionId),
        )
        .select(['r.state', 'r.spend_stopped', 'q.closed_at'])
        .where('r.id', '=', runId)
        .executeTakeFirst();
    },
  };
}
export type SpendQuestions = ReturnType<typeof createSpendQuestions>;

/** Closes the question that a restart has interrupted. The run's next question has a new deadline, and maybe another cap. */
async function closeInterrupted(trx: Transaction<DatabaseSchema>, runId: string): Promise<void> {
  await trx
    .updateTable('service_run_questions')
    .set({ closed_at: Date.now() })
    .where('run_id', '=', runId)
    .where('spend_json', 'is not', null)
    .where('closed_at', 'is', null)
    .execute();
}

async function insert(
  trx: Transaction<DatabaseSchema>,
  runId: string,
  { id, json }: NewQuestion,
  request: SpendRequest,
): Promise<void> {
  await trx
    .insertInto('service_run_questions')
    .values({
      run_id: runId,
      question_id: id,
      question_json: new Secret('question_json', id, json),
      asked_at: await askTime(trx, runId, Date.now()),
      closed_at: null,
      answer_json: null,
      answer_key: null,
      spend_json: JSON.stringify(request),
    })
    .execute();
}
