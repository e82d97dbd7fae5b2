import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { jobsPath, type KubernetesApi, podsPath } from './kubernetes-api.ts';
import { type Job, jobNameOf, jobSchema, type Pod, podSchema } from './objects.ts';
import { WatchedObjects } from './watched-objects.ts';

/** One of the service's Jobs with its pods, as the cluster last reported them. `version` changes with each report. */
export type Seen = { job: Job | undefined; pods: readonly Pod[]; version: number };

type Entry = { jobs: Map<string, Job>; pods: Map<string, Pod>; version: number };
type Kind = 'jobs' | 'pods';

type JobCacheOptions = {
  api: KubernetesApi;
  namespace: string;
  relistMs?: number | undefined;
  /** Called after each attempt to read the cluster, with the problem if it failed. */
  onRound: (problem: unknown) => void;
};

/** Cache of the service's Jobs and their pods in one namespace, as the cluster last reported them. */
export class JobCache {
  readonly #options: JobCacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listed = new Set<Kind>();
  #changes = 0;

  constructor(options: JobCacheOptions) {
    this.#options = options;
  }

  /** Keeps the cache up to date until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { api, namespace, relistMs } = this.#options;
    const jobs = new WatchedObjects({
      api,
      relistMs,
      path: jobsPath(namespace),
      schema: jobSchema,
      onChange: (job, exists) => this.#apply(job, (entry) => put(entry.jobs, job, exists)),
      onRound: (problem) => this.#onRound('jobs', problem),
    });
    const pods = new WatchedObjects({
      api,
      relistMs,
      path: podsPath(namespace),
      schema: podSchema,
      onChange: (pod, exists) => this.#apply(pod, (entry) => put(entry.pods, pod, exists)),
      onRound: (problem) => this.#onRound('pods', problem),
    });
    await Promise.all([jobs.run(signal), pods.run(signal)]);
  }

  /** Returns a Job and its pods. Returns undefined until the cluster has been read. */
  seen(name: string): Seen | undefined {
    if (this.#listed.size < 2) return undefined;
    const { jobs, pods, version } = this.#entries.get(name) ?? nothing;
    const [job] = jobs.values();
    return { job, pods: [...pods.values()], version };
  }

  /** Waits until the cluster reports a change since `seen`, but at most `ms`. */
  async changed(name: string, seen: Seen | undefined, ms: number, signal: AbortSignal) {
    if (signal.aborted || this.seen(name)?.version !== seen?.version) return;
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    const pause = new AbortController();
    const wake = () => pause.abort();
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await sleep(ms, pause.signal);
    signal.removeEventListener('abort', wake);
    waiting.delete(wake);
    if (waiting.size === 0) this.#waiting.delete(name);
  }

  #apply(object: Job | Pod, change: (entry: Entry) => void): void {
    const name = jobNameOf(object);
    this.#changes += 1;
    const entry = this.#entries.get(name) ?? { ...nothing, jobs: new Map(), pods: new Map() };
    change(entry);
    this.#entries.set(name, { ...entry, version: this.#changes });
    if (entry.jobs.size + entry.pods.size === 0) this.#entries.delete(name);
    this.#wake(name);
  }

  #onRound(kind: Kind, problem: unknown): void {
    this.#options.onRound(problem);
    if (problem !== undefined || this.#listed.has(kind)) return;
    this.#listed.add(kind);
    for (const name of this.#waiting.keys()) this.#wake(name);
  }

  #wake(name: string): void {
    for (const wake of this.#waiting.get(name) ?? []) wake();
  }
}

const nothing: Entry = { jobs: new Map(), pods: new Map(), version: 0 };

function put<T extends Job | Pod>(objects: Map<string, T>, object: T, exists: boolean): void {
  if (exists) objects.set(object.metadata.uid, object);
  else objects.delete(object.metadata.uid);
}

export type JobLocation = { api: KubernetesApi; namespace: string };

type Open = { cache: JobCache; stop: AbortController; users: number };

/**
 * Creates a cache for each namespace, which all its runs share. A cache reads the cluster only while a run uses it, so
 * an idle service sends no requests.
 */
export function createJobCaches({
  logger,
  relistMs,
}: {
  logger: Logger;
  relistMs?: number | undefined;
}) {
  const open = new Map<string, Open>();
  let isUnreachable = false;

  /** Logs once when the cluster can't be reached and once when it answers again, instead of each attempt. */
  const onRound = (problem: unknown) => {
    if (problem !== undefined && !isUnreachable)
      logger.warn({ err: problem }, 'cannot read the runs of the cluster');
    if (problem === undefined && isUnreachable) logger.info('the cluster answers again');
    isUnreachable = problem !== undefined;
  };

  function start(location: JobLocation): Open {
    const cache = new JobCache({ ...location, relistMs, onRound });
    const stop = new AbortController();
    void cache.run(stop.signal);
    return { cache, stop, users: 0 };
  }

  return {
    use(location: JobLocation): { cache: JobCache; release: () => void } {
      const { namespace } = location;
      const used = open.get(namespace) ?? start(location);
      open.set(namespace, used);
      used.users += 1;
      const release = () => {
        used.users -= 1;
        if (used.users > 0) return;
        used.stop.abort();
        open.delete(namespace);
      };
      return { cache: used.cache, release };
    },
  };
}
