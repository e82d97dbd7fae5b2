import { isTerminalState } from 'runs-client/contract';
import { publishRunRequestSchema, pullRequestActionSchema } from 'runs-client/publication';
import type { PublisherDeps } from '../../publishing/branch-work.ts';
import { planOfRun } from '../../publishing/publish-plan.ts';
import { PublishProblem } from '../../publishing/publish-problem.ts';
import type { Publisher } from '../../publishing/publisher.ts';
import { whyNot } from '../../publishing/pull-requests/pull-request-actions.ts';
import type { StoredRun } from '../../store/runs.ts';
import { ApiProblem } from '../problem.ts';
import { readBody } from '../read-body.ts';

type Options = Pick<PublisherDeps, 'publications' | 'environments'> & {
  publisher: Pick<Publisher, 'ask' | 'askAction'>;
};

/** What people ask for with the changes of a run. The answer comes before it's done. */
export function createPublishingRequests(options: Options) {
  const { publisher, publications, environments } = options;
  return {
    /** @throws ApiProblem */
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

    /** @throws ApiProblem */
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
          'Something else is being done with the pull request. Try again when that has ended.',
        );
    },
  };
}
export type PublishingRequests = ReturnType<typeof createPublishingRequests>;
