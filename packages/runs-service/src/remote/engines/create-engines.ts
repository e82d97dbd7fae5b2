import type { Logger } from 'base/logger';
import { placeOf, type ServiceEnvironment } from '../../environments/environments.ts';
import { createCommandEngine } from './command-engine.ts';
import type { Engine } from './engine.ts';
import { connectOnce } from './kubernetes/kubernetes-api.ts';
import { createKubernetesEngine } from './kubernetes/kubernetes-engine.ts';

/** What starts runs elsewhere, by the place of their environment. */
export function createEngines(parts: {
  path: string;
  kubeconfig?: string | undefined;
  logger: Logger;
}) {
  const command = createCommandEngine(parts);
  const api = connectOnce(parts.kubeconfig);
  const kubernetes = createKubernetesEngine({ api, logger: parts.logger });

  function engineFor(environment: ServiceEnvironment): Engine {
    const place = placeOf(environment);
    if (place === 'command') return command;
    if (place === 'kubernetes') return kubernetes;
    throw new Error(`Nothing starts runs in the place "${place}".`);
  }

  return {
    engineFor,
    problemElsewhere: (environment: ServiceEnvironment, signal: AbortSignal) =>
      engineFor(environment).problemOf(environment, signal),
  };
}
