import type { LostAttempt } from '../runner.ts';
import { type AttemptId, jobName } from './job.ts';
import type { JobCache, JobLocation } from './job-cache.ts';
import { judgeAttempt, type Verdict } from './judge-attempt.ts';
import { ApiProblem, eventsPath, jobsPath, type KubernetesApi } from './kubernetes-api.ts';
import { deleted, noMount, noPod } from './lost-attempts.ts';
import { eventSchema, listSchema } from './objects.ts';

/** Max duration of problems that can pass, in ms. After that, the attempt is lost. */
export type AttemptTimeouts = {
  node: number;
  image: number;
  container: number;
  /** Max time until the reason of a pod's end arrives, in ms. */
  end: number;
  /** Max time a Job can have no pod, in ms. */
  job: number;
  /** Max time a pod can have no container, in ms. Kubernetes can take two minutes to repeat a failed mount. */
  pod: number;
};

export const defaultTimeouts: AttemptTimeouts = {
  node: 30_000,
  image: 30_000,
  container: 30_000,
  end: 3_000,
  job: 30_000,
  pod: 120_000,
};

type WatchAttemptOptions = JobLocation & {
  cache: JobCache;
  timeouts: AttemptTimeouts;
  signal: AbortSignal;
};

type Waiting = Extract<Verdict, { kind: 'stuck' | 'starting' }>;

/** Waits until the attempt is lost, and returns the reason. Returns undefined once the signal has aborted. */
export async function watchAttempt(
  attempt: AttemptId,
  { api, namespace, cache, timeouts, signal }: WatchAttemptOptions,
): Promise<LostAttempt | undefined> {
  const name = jobName(attempt);
  // Measure the time from when this process first sees the problem, because the clocks of machines differ.
  let waiting: { since: number; verdict: Waiting } | undefined;
  while (!signal.aborted) {
    const seen = cache.seen(name);
    const verdict: Verdict = seen ? judgeAttempt(seen) : { kind: 'fine' };
    if (verdict.kind === 'lost') return verdict.lost;
    if (
      verdict.kind === 'missing' &&
      (await isMissing(api, `${jobsPath(namespace)}/${name}`, signal))
    )
      return deleted('Job');
    if (verdict.kind === 'fine' || verdict.kind === 'missing') {
      waiting = undefined;
      await cache.changed(name, seen, timeouts.job, signal);
      continue;
    }
    const isSame = waiting && keyOf(waiting.verdict) === keyOf(verdict);
    // Keep the first message about an image, because later ones only say that Kubernetes will retry.
    if (!waiting || !isSame) waiting = { since: performance.now(), verdict };
    else if (verdict.kind === 'stuck' && verdict.at !== 'image') waiting.verdict = verdict;
    const leftMs = waiting.since + timeouts[verdict.at] - performance.now();
    if (leftMs > 0) {
      await cache.changed(name, seen, leftMs, signal);
      continue;
    }
    if (waiting.verdict.kind === 'stuck') return waiting.verdict.lost;
    const why = await whyNotStarting({ api, namespace }, waiting.verdict, signal);
    if (why) return why;
    waiting.since = performance.now();
  }
  return undefined;
}

const keyOf = (verdict: Waiting) =>
  `${verdict.at} ${verdict.kind === 'starting' ? verdict.about : ''}`;

/**
 * Returns true if the cluster has no such Job. Asks the cluster, because the cache can be older than a Job that was
 * just created.
 */
async function isMissing(api: KubernetesApi, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.call({ method: 'GET', path }, { signal });
    return false;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return true;
    if (signal.aborted || (error instanceof ApiProblem && error.isPassing)) return false;
    throw error;
  }
}

const problems = {
  FailedCreate: noPod,
  FailedMount: noMount,
  FailedAttachVolume: noMount,
  FailedCreatePodSandBox: noMount,
};
/** Reasons of events that occur only after a pod is prepared. Kubernetes pulls images after that. */
const isPrepared = new Set(['Pulling', 'Pulled', 'Created', 'Started']);

/**
 * Finds the reason why a Job's pod or its container doesn't start. Reads events only in that case, because events can't
 * be watched by label.
 */
async function whyNotStarting(
  { api, namespace }: JobLocation,
  { about }: Extract<Waiting, { kind: 'starting' }>,
  signal: AbortSignal,
): Promise<LostAttempt | undefined> {
  const query = { fieldSelector: `involvedObject.uid=${about}`, limit: '100' };
  const path = eventsPath(namespace);
  const list = listSchema.parse(await api.call({ method: 'GET', path, query }, { signal }));
  const events = list.items.map((item) => eventSchema.parse(item));
  if (events.some(({ reason }) => isPrepared.has(reason))) return undefined;
  for (const { reason, message } of events.toReversed())
    if (reason in problems) return problems[reason as keyof typeof problems](message);
  return undefined;
}
