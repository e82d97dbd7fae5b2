import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { Attempt, Dispatch, LostAttempt, Runner } from '../runner.ts';
import {
  type AttemptId,
  createJob,
  createTokenSecret,
  jobLabel,
  jobName,
  tokenFile,
  workFolder,
} from './job.ts';
import { createJobCaches, type JobLocation } from './job-cache.ts';
import { hasEnded } from './judge-attempt.ts';
import {
  ApiProblem,
  jobsPath,
  type KubernetesApi,
  podsPath,
  secretsPath,
} from './kubernetes-api.ts';
import { rejectedObject } from './lost-attempts.ts';
import { jobSchema, listSchema } from './objects.ts';
import { createPreflight } from './preflight.ts';
import { type AttemptTimeouts, defaultTimeouts, watchAttempt } from './watch-attempt.ts';

export type KubernetesRunnerOptions = {
  /** Returns the cluster's API. Connects on the first call, so that the service can start while the cluster is down. */
  api: () => Promise<KubernetesApi>;
  logger: Logger;
  relistMs?: number | undefined;
  timeouts?: AttemptTimeouts;
};

const conflict = 409;
const notFound = 404;
/** Max wait until a pod is gone, in ms. Only a node that doesn't respond takes longer than the grace period. */
const goneWithinMs = 20_000;
const pollMs = 500;

/**
 * Creates a runner that executes runs as Kubernetes Jobs. A restart of the service loses nothing, because the cluster
 * has the state of all Jobs.
 */
export function createKubernetesRunner(options: KubernetesRunnerOptions): Runner {
  const { logger, timeouts = defaultTimeouts } = options;
  const caches = createJobCaches(options);

  async function jobLocationOf({ environment }: Attempt): Promise<JobLocation> {
    const api = await options.api();
    return { api, namespace: environment.kubernetes?.namespace ?? api.namespace };
  }

  /** Creates the Job, or finds the one that an earlier try created. @returns its metadata */
  async function createOnce(
    { api, namespace }: JobLocation,
    dispatch: Dispatch,
    signal: AbortSignal,
  ) {
    const path = jobsPath(namespace);
    const body = createJob(jobRequest(dispatch));
    try {
      return jobSchema.parse(await api.call({ method: 'POST', path, body }, { signal })).metadata;
    } catch (error) {
      if (!isStatus(error, conflict)) throw error;
      const found = jobSchema.parse(
        await api.call({ method: 'GET', path: `${path}/${jobName(dispatch)}` }, { signal }),
      );
      if (found.metadata.annotations['slash-agent/run-id'] === dispatch.runId)
        return found.metadata;
      throw error;
    }
  }

  async function remove({ api, namespace }: JobLocation, attempt: AttemptId): Promise<void> {
    const path = `${jobsPath(namespace)}/${jobName(attempt)}`;
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
    await orMissing(api.call({ method: 'DELETE', path, body }));
  }

  return {
    problemOf: createPreflight(options.api),

    async dispatch(dispatch, signal) {
      const location = await jobLocationOf(dispatch);
      const { api, namespace } = location;
      let what: 'Job' | 'Secret' = 'Job';
      try {
        const job = await createOnce(location, dispatch, signal);
        what = 'Secret';
        const body = createTokenSecret(job, dispatch.token);
        const create = { method: 'POST', path: secretsPath(namespace), body } as const;
        await api.call(create, { signal }).catch((error) => {
          // Ignore an existing secret, because a repeated dispatch has the same token.
          if (!isStatus(error, conflict)) throw error;
        });
        return undefined;
      } catch (error) {
        if (!(error instanceof ApiProblem) || signal.aborted || error.isPassing) throw error;
        if (what === 'Secret') await remove(location, dispatch);
        return rejectedObject(what, error, namespace);
      }
    },

    async watch(attempt, signal): Promise<LostAttempt | undefined> {
      const location = await jobLocationOf(attempt);
      const { cache, release } = caches.use(location);
      const seconds = attempt.environment.kubernetes?.node_wait_seconds;
      const own = { ...timeouts, ...(seconds !== undefined && { node: seconds * 1_000 }) };
      try {
        const lost = await watchAttempt(attempt, { ...location, cache, timeouts: own, signal });
        const seen = cache.seen(jobName(attempt));
        // Delete a Job that hasn't ended, because its pod could start later. Ended Jobs stay for people who use
        // kubectl.
        if (lost && seen?.job && !hasEnded(seen.job, seen.pods)) await remove(location, attempt);
        return lost;
      } finally {
        release();
      }
    },

    async cancel(attempt: Attempt): Promise<void> {
      const location = await jobLocationOf(attempt);
      const { api, namespace } = location;
      await remove(location, attempt);
      const query = { labelSelector: `${jobLabel}=${jobName(attempt)}` };
      const endsAt = performance.now() + goneWithinMs;
      while (performance.now() < endsAt) {
        const pods = await api.call({ method: 'GET', path: podsPath(namespace), query });
        if (listSchema.parse(pods).items.length === 0) return;
        await sleep(pollMs);
      }
      // Only log a warning, because the pod's node doesn't respond. A process that still runs there has a token that
      // is no longer valid.
      const { runId } = attempt;
      logger.warn({ runId, job: jobName(attempt) }, 'the pod of a run is still there');
    },
  };
}

function jobRequest({ runId, attempt, environment, variables, deadlineSeconds }: Dispatch) {
  const { id: environmentId, kubernetes: config } = environment;
  if (!config) throw new Error(`the environment ${environmentId} has no "kubernetes"`);
  const ours = { DATA_DIR: workFolder, HOME: workFolder, RUN_TOKEN_FILE: tokenFile };
  const request = { runId, attempt, environmentId, config, deadlineSeconds };
  return { ...request, variables: { ...variables, ...ours } };
}

const isStatus = (error: unknown, status: number) =>
  error instanceof ApiProblem && error.status === status;

async function orMissing(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isStatus(error, notFound)) return undefined;
    throw error;
  }
}
