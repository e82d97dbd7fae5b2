import { z } from 'zod';
import type { ServiceRunFollowups } from '../../store/service/service-run-followups.ts';
import type { ServiceRuns } from '../../store/service/service-runs.ts';
import { statesBefore } from '../queue/run-state.ts';
import { maxPromptCharacters } from './create-request.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';

export type RunControlOptions = {
  runs: ServiceRuns;
  followups: ServiceRunFollowups;
  /** Ends the run's processes, if this process executes it. */
  abort: (runId: string) => void;
  /** Has the queue looked at. */
  wake: () => void;
};

/** Strict: an attachment that is dropped would make another message of it. */
export const followUpSchema = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(maxPromptCharacters, { error: `is longer than ${maxPromptCharacters} characters` }),
});

/** What people can do to a run that exists. */
export function createRunControl({ runs, followups, abort, wake }: RunControlOptions) {
  return {
    wake,

    /** A queued run is cancelled at once; one that is going when its processes have ended. Asking twice is no error. */
    async cancel(runId: string): Promise<void> {
      const cancelled = {
        state: 'CANCELLED',
        ended_at: Date.now(),
        note: 'Cancelled while queued',
      };
      if (await runs.change(runId, ['QUEUED'], cancelled)) return;
      const asked = await runs.change(runId, ['INPROGRESS'], {
        cancel_requested: 1,
        note: 'Asked to cancel',
      });
      if (!asked)
        throw new ApiProblem(
          'already_ended',
          'The run has already ended, so it cannot be cancelled.',
        );
      abort(runId);
    },

    /** The agent gets the message when it has finished what it is doing, in the same work folder. */
    async followUp(runId: string, body: unknown, key: string | null): Promise<void> {
      const { message } = readBody(followUpSchema, body);
      if (await followups.add(runId, statesBefore('CANCELLED'), { message, key })) return;
      throw new ApiProblem(
        'already_ended',
        'The run has already ended. Start a new run with its conversation_id to go on from it.',
      );
    },
  };
}
export type RunControl = ReturnType<typeof createRunControl>;
