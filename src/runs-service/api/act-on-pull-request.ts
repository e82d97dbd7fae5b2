import { pullRequestActionSchema } from 'runs-client/publication';
import type { ServicePublications } from '../../store/service/service-publications.ts';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { findEnvironment, type ServiceEnvironment } from '../environments/environments.ts';
import { planOf } from '../publishing/publish-plan.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { whyNot } from '../publishing/pull-request-actions.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';

export type ActOnPullRequestOptions = {
  publisher: Pick<Publisher, 'askAction'>;
  publications: Pick<ServicePublications, 'ofRuns'>;
  environments: () => readonly ServiceEnvironment[];
};

/** @throws ApiProblem */
export type ActOnPullRequest = (run: ServiceRun, body: unknown) => Promise<void>;

/** Asks for something to be done with the run's pull request. The answer comes before that is done. */
export function createActOnPullRequest(options: ActOnPullRequestOptions): ActOnPullRequest {
  const { publisher, publications, environments } = options;
  return async (run, body) => {
    const { action } = readBody(pullRequestActionSchema, body);
    const publication = (await publications.ofRuns([run.id])).get(run.id);
    const environment = findEnvironment(environments(), run.environment_id);
    const plan = environment && planOf(environment);
    if (!publication || !plan)
      throw new ApiProblem('cannot_be_processed', 'The run has no pull request.');
    const reason = whyNot(action, publication, plan);
    if (reason !== undefined) throw new ApiProblem('cannot_be_processed', reason);
    if (!(await publisher.askAction(publication, action)))
      throw new ApiProblem(
        'conflict',
        'Something else is being done with the pull request. Try again when that has ended.',
      );
  };
}
