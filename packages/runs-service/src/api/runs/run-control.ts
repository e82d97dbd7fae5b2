import { isTerminalState } from 'runs-client/contract';
import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import { z } from 'zod';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { planOfRun } from '../../publishing/publish-plan.ts';
import { PublishProblem } from '../../publishing/publish-problem.ts';
import type { Publisher } from '../../publishing/publisher.ts';
import { whyNot } from '../../publishing/pull-requests/pull-request-actions.ts';
import type { RunQueue } from '../../queue/run-queue.ts';
import type { Followups } from '../../store/followups.ts';
import type { Publications } from '../../store/publications.ts';
import {
  activeStates,
  allStates,
  openStates,
  type Runs,
  type StoredRun,
} from '../../store/runs.ts';
import { type KeyOwner, newSecret } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-request.ts';
import type { AnswerHandler } from './answer-handler.ts';
import { maxPromptCharacters, normalMode } from './create-request.ts';

/**
 * Schema of a follow-up. It's strict, because dropping an unknown member such as an attachment would change the
 * message.
 */
export const followUpSchema = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(maxPromptCharacters, { error: `is longer than ${maxPromptCharacters} characters` }),
  mode: normalMode,
});

/** Creates the functions that act on a run. They return before slow work, such as ending a process, has finished. */
export function createRunControl({
  runs,
  followups,
  answerHandler,
  queue,
  publisher,
  publications,
  environments,
}: {
  runs: Runs;
  followups: Followups;
  answerHandler: AnswerHandler;
  queue: RunQueue;
  publisher: Publisher;
  publications: Publications;
  environments: () => readonly ServiceEnvironment[];
}) {
  return {
    /** Makes the queue check for new runs now. */
    wake: () => queue.wake(),
    answer: answerHandler.answer,

    /** Cancels a run. A queued run ends immediately, an active one when its processes have ended. Can be repeated. */
    async cancel(runId: string): Promise<void> {
      const canceled = { state: 'CANCELLED', ended_at: Date.now(), note: 'Canceled while queued' };
      if (await runs.change(runId, ['QUEUED'], canceled)) return;
      const requested = { cancel_requested: 1 as const, note: 'Cancel requested' };
      if (await runs.change(runId, activeStates, requested)) return queue.cancel(runId);
      throw new ApiProblem(
        'already_ended',
        "The run has already ended, so it can't be canceled. Start a new run instead.",
      );
    },

    /** Replaces the session link, so that the old one stops working. */
    async replaceSessionLink(runId: string): Promise<StoredRun | undefined> {
      const replaced = { session_token: newSecret(), note: 'Session link revoked' };
      return runs.change(runId, allStates, replaced);
    },

    /**
     * Answers the open question with a message, if the question accepts it. Otherwise queues the message for the agent,
     * which gets messages one after the other in the same work folder.
     */
    async followUp(
      run: Pick<StoredRun, 'id'>,
      { creator }: KeyOwner,
      body: unknown,
      key: string | null,
    ): Promise<void> {
      const { message } = readBody(followUpSchema, body);
      if (await answerHandler.answerByMessage(run.id, creator.display_name, message, key)) return;
      if (await followups.add(run.id, openStates, { message, key })) return;
      throw new ApiProblem(
        'already_ended',
        'The run has already ended. To continue, start a new run with its conversation_id.',
      );
    },

    /**
     * Requests publishing of the run's changes.
     * @throws ApiProblem that says why the changes can't be published
     */
    async publish(run: StoredRun, body: unknown): Promise<void> {
      const request = readBody(publishRunRequestSchema, body);
      if (!isTerminalState(run.state))
        throw new ApiProblem(
          'not_ended',
          'The run is still active. Publish its changes when it has ended.',
        );
      const plan = planOfRun(environments, run);
      if (!plan)
        throw new ApiProblem(
          'cannot_be_processed',
          `Runs in environment "${run.environment_id}" can't be published. Set "publish" in the environments file.`,
        );
      try {
        await publisher.ask(run, plan, request);
      } catch (error) {
        if (!(error instanceof PublishProblem)) throw error;
        throw new ApiProblem('cannot_be_processed', error.message);
      }
    },

    /**
     * Requests an action on the run's pull request.
     * @throws ApiProblem if there is no pull request, or the action is impossible now
     */
    async actOnPullRequest(run: StoredRun, body: unknown): Promise<void> {
      const { action } = readBody(pullRequestActionSchema, body);
      const publication = (await publications.ofRuns([run.id])).get(run.id);
      const plan = planOfRun(environments, run);
      if (!publication || !plan)
        throw new ApiProblem('cannot_be_processed', 'The run has no pull request.');
      const reason = whyNot(action, publication, plan);
      if (reason !== undefined) throw new ApiProblem('cannot_be_processed', reason);
      if (!(await publisher.askAction(publication, action)))
        throw new ApiProblem(
          'conflict',
          'Another action on the pull request is in progress. Try again when it has ended.',
        );
    },
  };
}
export type RunControl = ReturnType<typeof createRunControl>;
