import type { Logger } from 'base/logger';
import { placeOf, type ServiceEnvironment } from '../environments/environments.ts';
import { createCommandRunner } from './command-runner.ts';
import { connectOnce } from './kubernetes/kubernetes-api.ts';
import { createKubernetesRunner } from './kubernetes/kubernetes-runner.ts';
import type { Runner } from './runner.ts';

/** Creates a runner for each place of environments but this machine. */
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
    const place = placeOf(environment);
    if (place === 'command') return command;
    if (place === 'kubernetes') return kubernetes;
    throw new Error(`No runner starts runs in the place "${place}".`);
  }

  return {
    runnerFor,
    problemElsewhere: (environment: ServiceEnvironment, signal: AbortSignal) =>
      runnerFor(environment).problemOf(environment, signal),
  };
}
