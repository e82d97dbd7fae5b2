import { Secret } from 'base/encryption/secret';
import type { Selectable, Transaction, Updateable } from 'kysely';
import { changeRun } from './run-changes.ts';
import type { DatabaseSchema, Db, RunQuestionsTable } from './schema.ts';
import {
  allowSpending,
  readSpendRequest,
  type SpendRequest,
  spendOptions,
  stopSpending,
} from './spend-request.ts';

export type StoredQuestion = Selectable<RunQuestionsTable>;

type GivenAnswer = {
  answerJson: string;
  /** Line for the timeline about the answer. */
  note: string;
  /** Idempotency key of the request. A repeated request with the same key has no effect. */
  key: string | null;
};

/** Closes a question and unblocks its run. Returns false if the question was already closed. */
export async function closeQuestion(
  trx: Transaction<DatabaseSchema>,
  { run_id: runId, question_id: id }: Pick<StoredQuestion, 'run_id' | 'question_id'>,
  set: Updateable<RunQuestionsTable>,
  note: string,
): Promise<boolean> {
  // Change the run first to lock its row. Only the first of several answers finds the run blocked.
  const going = { state: 'INPROGRESS', note };
  if (!(await changeRun(trx, runId, { from: ['BLOCKED'] }, going))) return false;
  await trx
    .updateTable('service_run_questions')
    .set({ ...set, closed_at: Date.now() })
    .where('run_id', '=', runId)
    .where('question_id', '=', id)
    .execute();
  return true;
}

/** Does what the answer to a question about spending says. */
async function decide(
  trx: Transaction<DatabaseSchema>,
  runId: string,
  request: SpendRequest,
  answerJson: string,
): Promise<void> {
  const { option_id: option }: { option_id?: string } = JSON.parse(answerJson);
  if (option === spendOptions.allow) await allowSpending(trx, request);
  else await stopSpending(trx, runId, request, 'stopped');
}

/**
 * Max number and total length of the questions in one run. An agent that asks before each command can ask
 * hundreds of questions. The longest have 20,000 characters.
 */
const limits = { questions: 1_000, characters: 16 * 1024 * 1024 };

async function hasRoom(db: Db, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('service_run_questions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number>(fn('length', ['question_json'])).as('characters'),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return Number(row?.count) < limits.questions && Number(row?.characters) < limits.characters;
}

/** Selects the open question of a run. */
export const openQuestionOf = (db: Db, runId: string) =>
  db
    .selectFrom('service_run_questions as q')
    .innerJoin('service_runs as r', 'r.id', 'q.run_id')
    .selectAll('q')
    .where('q.run_id', '=', runId)
    .where('q.closed_at', 'is', null)
    .where('r.state', '=', 'BLOCKED')
    .orderBy('q.asked_at', 'desc')
    .limit(1);

/** Returns the time of a new question. It's after the run's earlier questions, even if the clock was set back. */
export async function askTime(db: Db, runId: string, now: number): Promise<number> {
  const last = await db
    .selectFrom('service_run_questions')
    .select(({ fn }) => [fn.max('asked_at').as('askedAt'), fn.max('closed_at').as('closedAt')])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return Math.max(now, Number(last?.askedAt ?? 0) + 1, Number(last?.closedAt ?? 0) + 1);
}

async function isAboutSpending(db: Db, runId: string): Promise<boolean> {
  const open = await openQuestionOf(db, runId).executeTakeFirst();
  return open !== undefined && open.spend_json !== null;
}

/**
 * Creates the store for agents' questions to people. A run has at most one open question, and is `BLOCKED` until that
 * question is closed.
 */
export function createRunQuestions(db: Db) {
  return {
    /**
     * Stores a question. Can be repeated. Returns `rejected` if a process other than `owner` executes the run, or the
     * run has asked too many questions. Returns `busy` while people decide if the run can spend more.
     */
    async ask(
      owner: string | undefined,
      question: Omit<StoredQuestion, 'closed_at' | 'answer_json' | 'answer_key' | 'spend_json'>,
    ): Promise<'asked' | 'busy' | 'rejected'> {
      return db.transaction().execute(async (trx) => {
        const from = { from: ['INPROGRESS'], owner };
        const blocked = { state: 'BLOCKED', note: 'Asked a question' };
        const { run_id: runId, question_id: id, question_json: json } = question;
        const before = await trx
          .selectFrom('service_run_questions')
          .select('question_id')
          .where('run_id', '=', runId)
          .where('question_id', '=', id)
          .executeTakeFirst();
        if (before) return 'asked';
        if (!(await hasRoom(trx, runId))) return 'rejected';
        if (!(await changeRun(trx, runId, from, blocked)))
          return (await isAboutSpending(trx, runId)) ? 'busy' : 'rejected';
        await trx
          .insertInto('service_run_questions')
          .values({
            ...question,
            question_json: new Secret('question_json', id, json),
            asked_at: await askTime(trx, runId, question.asked_at),
            closed_at: null,
            answer_json: null,
            answer_key: null,
          })
          .execute();
        return 'asked';
      });
    },

    async open(runId: string): Promise<StoredQuestion | undefined> {
      return openQuestionOf(db, runId).executeTakeFirst();
    },

    /** Returns the last question of each run. A run that is `BLOCKED` waits for an answer to this question. */
    async lastOf(runIds: readonly string[]): Promise<StoredQuestion[]> {
      if (runIds.length === 0) return [];
      return db
        .selectFrom('service_run_questions as q')
        .selectAll()
        .where('run_id', 'in', runIds)
        .where('asked_at', '=', ({ selectFrom }) =>
          selectFrom('service_run_questions as other')
            .select((other) => other.fn.max('other.asked_at').as('last'))
            .whereRef('other.run_id', '=', 'q.run_id'),
        )
        .execute();
    },

    async get(runId: string, questionId: string): Promise<StoredQuestion | undefined> {
      return db
        .selectFrom('service_run_questions')
        .selectAll()
        .where('run_id', '=', runId)
        .where('question_id', '=', questionId)
        .executeTakeFirst();
    },

    /** Returns true if the run has an answer with this idempotency key. */
    async hasAnswer(runId: string, key: string): Promise<boolean> {
      const found = await db
        .selectFrom('service_run_questions')
        .select('question_id')
        .where('run_id', '=', runId)
        .where('answer_key', '=', key)
        .executeTakeFirst();
      return found !== undefined;
    },

    /** Stores an answer and closes the question. Returns false for all but the first answer. */
    async answer(
      runId: string,
      questionId: string,
      { answerJson, note, key }: GivenAnswer,
    ): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const question = await openQuestionOf(trx, runId).executeTakeFirst();
        if (question?.question_id !== questionId) return false;
        const answer = new Secret('answer_json', questionId, answerJson);
        const set = { answer_json: answer, answer_key: key };
        if (!(await closeQuestion(trx, question, set, note))) return false;
        if (question.spend_json !== null)
          await decide(trx, runId, readSpendRequest(question.spend_json), answerJson);
        return true;
      });
    },

    /**
     * Closes an agent's question without an answer. Returns false if the question isn't open anymore, for example for a repeated
     * request.
     */
    async expire(runId: string, questionId: string, note: string): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const question = await openQuestionOf(trx, runId).executeTakeFirst();
        if (question?.question_id !== questionId || question.spend_json !== null) return false;
        return closeQuestion(trx, question, {}, note);
      });
    },
  };
}
export type RunQuestions = ReturnType<typeof createRunQuestions>;
