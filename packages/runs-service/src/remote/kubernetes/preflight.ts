import { ExplainedError } from 'base/explained-error';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { KubernetesConfig } from '../../environments/kubernetes-config.ts';
import { createJob } from './job.ts';
import { ApiProblem, jobsPath, type KubernetesApi, reviewsPath } from './kubernetes-api.ts';
import { rejectedObject } from './lost-attempts.ts';

/** All permissions that the service uses. deploy/kubernetes/rbac.yaml grants exactly these. */
export const neededRights = [
  ...['create', 'get', 'list', 'watch', 'delete'].map(
    (verb) => ({ group: 'batch', resource: 'jobs', verb }) as const,
  ),
  ...['list', 'watch'].map((verb) => ({ group: '', resource: 'pods', verb }) as const),
  { group: '', resource: 'secrets', verb: 'create' },
  { group: '', resource: 'events', verb: 'list' },
] as const;

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean() }) });
const checkTimeoutMs = 10_000;
/** Time that results are cached, in ms, because opening the form checks every environment. */
const keptMs = 60_000;

/**
 * Creates a check that returns the reason why an environment's runs can't start. It checks each permission, and lets
 * the cluster check a Job without creating it. The cluster's check also finds mistakes in the template, quotas and
 * rules.
 */
export function createPreflight(connected: () => Promise<KubernetesApi>) {
  const results = new LRUCache<string, { problem: string | undefined }>({ max: 200, ttl: keptMs });
  return async (
    { id, kubernetes: config }: ServiceEnvironment,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    if (!config) return 'it has "runner: kubernetes" but no "kubernetes"';
    const key = JSON.stringify([id, config]);
    const answer = results.get(key) ?? { problem: await findProblem(id, config, signal) };
    if (!signal.aborted) results.set(key, answer, { noUpdateTTL: true });
    return answer.problem;
  };

  async function findProblem(
    environmentId: string,
    config: KubernetesConfig,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let namespace = '';
    try {
      const api = await connected();
      namespace = config.namespace ?? api.namespace;
      const missing = await missingRights(api, namespace, signal);
      if (missing.length > 0)
        return `the service isn't allowed to ${missing.join(', ')} in the namespace ${namespace}. Give it the Role of deploy/kubernetes`;
      const attempt = { runId: `check-${environmentId}`, attempt: 1, deadlineSeconds: 60 };
      const body = createJob({ ...attempt, environmentId, config, variables: {} });
      const path = jobsPath(namespace);
      const query = { dryRun: 'All' };
      await api
        .call({ method: 'POST', path, query, body }, { signal, forMs: checkTimeoutMs })
        .catch(
          // Ignore a conflict. It means that another service is checking at the same time, or that a Job has this
          // name.
          (error) => {
            if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
          },
        );
      return undefined;
    } catch (error) {
      if (error instanceof ExplainedError) return error.message;
      if (!(error instanceof ApiProblem)) throw error;
      if (error.isPassing) return error.message;
      return rejectedObject('Job', error, namespace).end.status.message.replace(/\.$/, '');
    }
  }
}

async function missingRights(
  api: KubernetesApi,
  namespace: string,
  signal: AbortSignal,
): Promise<string[]> {
  const ask = async ({ group, resource, verb }: (typeof neededRights)[number]) => {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { namespace, group, resource, verb } },
    };
    const call = { method: 'POST', path: reviewsPath, body } as const;
    const { status } = reviewSchema.parse(await api.call(call, { signal, forMs: checkTimeoutMs }));
    return status.allowed ? [] : [`${verb} ${resource}`];
  };
  return (await Promise.all(neededRights.map(ask))).flat();
}
