import { z } from 'zod';
import type { Followups } from '../../store/followups.ts';
import {
  activeStates,
  allStates,
  openStates,
  type Runs,
  type StoredRun,
} from '../../store/runs.ts';
import { newSecret } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-body.ts';
import type { QuestionDesk } from './answer-question.ts';
import { maxPromptCharacters, normalMode } from './create-request.ts';

type RunControlOptions = {
  runs: Runs;
  followups: Followups;
  desk: QuestionDesk;
  /** Ends the run if this process executes it. */
  abort: (runId: string) => void;
  /** Makes the queue look for new runs now. */
  wake: () => void;
};

/** Strict, because dropping an unknown member such as an attachment would change the message. */
export const followUpSchema = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(maxPromptCharacters, { error: `is longer than ${maxPromptCharacters} characters` }),
  mode: normalMode,
});

export function createRunControl({ runs, followups, desk, abort, wake }: RunControlOptions) {
  return {
    wake,
    answer: desk.answer,

    /** A queued run is canceled at once, an active one once its processes have ended. Can be repeated. */
    async cancel(runId: string): Promise<void> {
      const canceled = { state: 'CANCELLED', ended_at: Date.now(), note: 'Canceled while queued' };
      if (await runs.change(runId, ['QUEUED'], canceled)) return;
      const requested = { cancel_requested: 1 as const, note: 'Cancel requested' };
      if (await runs.change(runId, activeStates, requested)) return abort(runId);
      throw new ApiProblem(
        'already_ended',
        "The run has already ended, so it can't be canceled. Start a new run instead.",
      );
    },

    /** The old link opens nothing from now on. */
    async replaceSessionLink(runId: string): Promise<StoredRun | undefined> {
      const replaced = { session_token: newSecret(), note: 'Session link revoked' };
      return runs.change(runId, allStates, replaced);
    },

    /**
     * Answers the agent's question, if it has one that the message answers. Otherwise the agent gets the message when it's
     * done with the one before, in the same work folder.
     */
    async followUp(runId: string, who: string, body: unknown, key: string | null): Promise<void> {
      const { message } = readBody(followUpSchema, body);
      if (await desk.answerByMessage(runId, who, message, key)) return;
      if (await followups.add(runId, openStates, { message, key })) return;
      throw new ApiProblem(
        'already_ended',
        'The run has already ended. To continue, start a new run with its conversation_id.',
      );
    },
  };
}
export type RunControl = ReturnType<typeof createRunControl>;
