import { publishRunRequestSchema } from 'runs-client/publication';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import { findEnvironment, type ServiceEnvironment } from '../environments/environments.ts';
import type { RunFiles } from '../execution/run-files.ts';
import { planOf } from '../publishing/publish-plan.ts';
import { PublishProblem } from '../publishing/publish-problem.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { readChangesOfRun } from '../publishing/read-changes-of-run.ts';
import { hasEnded } from '../queue/run-state.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';

export type PublishRunOptions = {
  publisher: Publisher;
  environments: () => readonly ServiceEnvironment[];
  files: RunFiles;
  isShared: boolean;
};

/** @throws ApiProblem */
export type PublishRun = (run: ServiceRun, body: unknown) => Promise<void>;

/** Asks for the run's changes to be published. The answer comes before that is done. */
export function createPublishRun(options: PublishRunOptions): PublishRun {
  const { publisher, environments, files, isShared } = options;
  return async (run, body) => {
    const request = readBody(publishRunRequestSchema, body);
    if (!hasEnded(run.state))
      throw new ApiProblem(
        'not_ended',
        'The run is still active. Publish its changes when it has ended.',
      );
    const environment = findEnvironment(environments(), run.environment_id);
    const plan = environment && planOf(environment);
    if (!plan)
      throw new ApiProblem(
        'cannot_be_processed',
        `Runs in environment "${run.environment_id}" can't be published. Set "publish" in the environments file.`,
      );
    try {
      await readChangesOfRun(files, run.id, { isShared });
      await publisher.ask(run, plan, request);
    } catch (error) {
      if (!(error instanceof PublishProblem)) throw error;
      throw new ApiProblem('cannot_be_processed', error.message);
    }
  };
}
