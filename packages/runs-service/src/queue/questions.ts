import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import type { QuestionStore } from '../execution/run-store.ts';
import type { RunQuestions } from '../store/run-questions.ts';
import { persist } from './persist.ts';

const busyMs = 500;

const answerSchema = z.union([
  z.object({ option_id: z.string() }).transform(({ option_id }) => ({ optionId: option_id })),
  z.object({ text: z.string() }),
  z.object({ values: z.record(z.string(), fieldValueSchema) }),
]);

type Store = Pick<RunQuestions, 'ask' | 'get' | 'expire'>;

/**
 * Creates the store for the questions of runs. It adds a question only if `owner` executes the run. It doesn't retry.
 */
export function createQuestions(store: Store, owner: string | undefined): QuestionStore {
  return {
    async ask(runId, question, signal) {
      while (!signal.aborted) {
        const outcome = await store.ask(owner, {
          run_id: runId,
          question_id: question.id,
          question_json: JSON.stringify(question),
          asked_at: Date.now(),
        });
        if (outcome !== 'busy') return outcome === 'asked';
        await sleep(busyMs, signal);
      }
      return false;
    },

    async answerOf(runId, questionId) {
      const found = await store.get(runId, questionId);
      if (!found || found.closed_at === null) return undefined;
      return found.answer_json === null ? null : answerSchema.parse(JSON.parse(found.answer_json));
    },

    async close(runId, questionId, note) {
      await store.expire(runId, questionId, note);
    },
  };
}

/** Returns the same question store, but with retries while the database is down. */
export function withDatabaseRetry(questions: QuestionStore, logger: Logger): QuestionStore {
  return {
    ask: async (runId, question, signal) =>
      (await persist(() => questions.ask(runId, question, signal), { signal, logger, runId })) ??
      false,
    answerOf: (runId, questionId, signal) =>
      persist(() => questions.answerOf(runId, questionId, signal), { signal, logger, runId }),
    close: (runId, questionId, note, signal) =>
      persist(() => questions.close(runId, questionId, note, signal), { signal, logger, runId }),
  };
}
