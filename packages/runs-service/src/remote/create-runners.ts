import type { Logger } from 'base/logger';
import { runnerOf, type ServiceEnvironment } from '../environments/environments.ts';
import { createCommandRunner } from './command-runner.ts';
import { connectOnce } from './kubernetes/kubernetes-api.ts';
import { createKubernetesRunner } from './kubernetes/kubernetes-runner.ts';
import type { Runner } from './runner.ts';

/** Creates the runners of environments with `runner: command` or `runner: kubernetes`. */
export function createRunners({
  path,
  kubeconfig,
  logger,
}: {
  path: string;
  kubeconfig?: string | undefined;
  logger: Logger;
}) {
  const command = createCommandRunner({ path, logger });
  const kubernetes = createKubernetesRunner({ api: connectOnce(kubeconfig), logger });

  function runnerFor(environment: ServiceEnvironment): Runner {
    const kind = runnerOf(environment);
    if (kind === 'command') return command;
    if (kind === 'kubernetes') return kubernetes;
    throw new Error(`"runner: ${kind}" isn't a remote runner.`);
  }

  return {
    runnerFor,
    runnerProblem: (environment: ServiceEnvironment, signal: AbortSignal) =>
      runnerFor(environment).problemOf(environment, signal),
  };
}
