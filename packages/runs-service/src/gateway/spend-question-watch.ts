import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { CapState, SpendCap } from '../store/spend-cap.ts';
import type { SpendQuestions } from '../store/spend-questions.ts';

const checkMs = 1_000;

/**
 * Creates a loop that closes questions about spending that no one has to answer anymore. It stops runs whose deadline
 * has passed. All services check all questions, so that a question outlives the process that asked it.
 */
export function createSpendQuestionWatch({
  questions,
  statesOf,
  logger,
}: {
  questions: Pick<SpendQuestions, 'listOpen' | 'stop' | 'dismiss'>;
  /** Returns the current states of caps. */
  statesOf: (caps: readonly SpendCap[]) => Promise<CapState[]>;
  logger: Logger;
}): Loop {
  async function check(question: Awaited<ReturnType<SpendQuestions['listOpen']>>[number]) {
    const { run_id: runId, question_id: id, cap, expiresAt } = question;
    const [state] = await statesOf([cap]);
    if (state && state.spent < cap.limitMicros + state.allowed) {
      const why =
        state.period === question.period ? 'More was allowed' : 'A new period has started';
      await questions.dismiss(runId, id, `${why}, so no answer is needed`);
    } else if (Date.now() >= expiresAt) await questions.stop(runId, id, 'No one answered in time');
  }

  return new Loop(async (signal) => {
    try {
      for (const question of await questions.listOpen()) {
        if (signal.aborted) break;
        await check(question);
      }
    } catch (error) {
      logger.error({ err: error }, 'cannot check the questions about spending');
    }
    return checkMs;
  });
}
