import { fieldValueSchema } from 'runs-client/question-fields';
import { z } from 'zod';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceRunQuestions } from '../../store/service/service-run-questions.ts';
import type { QuestionTools } from '../execution/run-context.ts';
import { persist } from './persist.ts';

const answerSchema = z.union([
  z.object({ option_id: z.string() }).transform(({ option_id }) => ({ optionId: option_id })),
  z.object({ text: z.string() }),
  z.object({ values: z.record(z.string(), fieldValueSchema) }),
]);

/** Questions in the store, for the process that executes the run: this one, if it's the given owner. */
export function createQuestions(
  store: ServiceRunQuestions,
  { owner, logger }: { owner: string | undefined; logger: Logger },
): QuestionTools {
  return {
    async ask(runId, question, expiresAt, signal) {
      const row = {
        ...{ run_id: runId, question_id: question.id, question_json: JSON.stringify(question) },
        ...{ asked_at: Date.now(), expires_at: expiresAt },
      };
      return (await persist(() => store.ask(owner, row), { signal, logger, runId })) ?? false;
    },

    async answerOf(runId, questionId, signal) {
      const read = () => store.get(runId, questionId);
      const found = await persist(read, { signal, logger, runId });
      if (!found || found.closed_at === null) return undefined;
      return found.answer_json === null ? null : answerSchema.parse(JSON.parse(found.answer_json));
    },

    async close(runId, questionId, note, signal) {
      const close = () => store.expire(runId, questionId, note);
      await persist(close, { signal, logger, runId });
    },
  };
}
