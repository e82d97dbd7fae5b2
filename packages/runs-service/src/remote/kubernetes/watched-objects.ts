import { sleep } from 'base/sleep';
import type { z } from 'zod';
import { ourSelector } from './job.ts';
import { ApiProblem, type KubernetesApi, within } from './kubernetes-api.ts';
import { bookmarkSchema, listSchema, watchLineSchema } from './objects.ts';

type Stored = { metadata: { uid: string; name: string; resourceVersion: string } };

type WatchedObjectsOptions<T extends Stored> = {
  api: KubernetesApi;
  /** Path of the collection, such as `/api/v1/namespaces/agents/pods`. */
  path: string;
  schema: z.ZodType<T>;
  /** Called for each object that is new, changed or gone. */
  onChange: (object: T, exists: boolean) => void;
  /** Called after each attempt to read the cluster, with the problem if it failed. */
  onRound: (problem: unknown) => void;
  relistMs?: number | undefined;
};

const pageSize = '500';
const defaultRelistMs = 60_000;
/** Time after which an overdue watch is closed, in ms. The cluster can't end a watch over a dead connection. */
const graceMs = 5_000;
const pauseMs = 1_000;
const gone = 410;

/**
 * Keeps a copy of all the service's objects of one kind. A watch reports changes. A new list once a minute repairs what
 * the watch missed.
 */
export class WatchedObjects<T extends Stored> {
  readonly #options: WatchedObjectsOptions<T>;
  #byUid = new Map<string, T>();

  constructor(options: WatchedObjectsOptions<T>) {
    this.#options = options;
  }

  /** Keeps the copy up to date until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const version = await this.#list(signal);
        this.#options.onRound(undefined);
        await this.#watch(version, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Don't report this error, because the history that a watch needs expires regularly.
        if (!(error instanceof ApiProblem) || error.status !== gone) this.#options.onRound(error);
      }
      await sleep(pauseMs, signal);
    }
  }

  /**
   * Lists all objects and reports changes.
   * @returns the version that a watch continues from
   */
  async #list(signal: AbortSignal): Promise<string> {
    const { api, path, schema } = this.#options;
    const found = new Map<string, T>();
    let version = '';
    let page: string | undefined;
    do {
      const query = {
        labelSelector: ourSelector,
        limit: pageSize,
        ...(page && { continue: page }),
      };
      const answer = await api.call({ method: 'GET', path, query }, { signal, forMs: 0 });
      const list = listSchema.parse(answer);
      for (const item of list.items) {
        // Skip objects of another shape, because other programs can use the service's label.
        const read = schema.safeParse(item);
        if (read.success) found.set(read.data.metadata.uid, read.data);
      }
      version = list.metadata.resourceVersion;
      page = list.metadata.continue;
    } while (page);
    const before = this.#byUid;
    this.#byUid = found;
    for (const [uid, object] of before) if (!found.has(uid)) this.#options.onChange(object, false);
    for (const [uid, object] of found)
      if (before.get(uid)?.metadata.resourceVersion !== object.metadata.resourceVersion)
        this.#options.onChange(object, true);
    return version;
  }

  /**
   * Watches for changes until the next list is due. If the cluster closes the watch early, continues with a new one
   * from the last change.
   */
  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { relistMs = defaultRelistMs } = this.#options;
    const endsAt = performance.now() + relistMs;
    let version = from;
    for (;;) {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0 || signal.aborted) return;
      await within(leftMs + graceMs, signal, async (limited) => {
        try {
          for await (const seen of this.#follow(version, leftMs, limited)) version = seen;
        } catch (error) {
          if (!limited.aborted) throw error;
        }
      });
      await sleep(Math.min(pauseMs, relistMs), signal);
    }
  }

  async *#follow(from: string, leftMs: number, signal: AbortSignal): AsyncGenerator<string> {
    const { api, path, schema } = this.#options;
    const query = {
      labelSelector: ourSelector,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: from,
      timeoutSeconds: String(Math.ceil(leftMs / 1_000)),
    };
    for await (const line of api.follow({ method: 'GET', path, query }, signal)) {
      const read = watchLineSchema.safeParse(line);
      // Stop reading, because the stream was cut inside a line.
      if (!read.success) return;
      const { type, object } = read.data;
      if (type === 'ERROR') throw new ApiProblem('The watch ended', { status: gone });
      if (type === 'BOOKMARK') {
        yield bookmarkSchema.parse(object).metadata.resourceVersion;
        continue;
      }
      const changed = schema.safeParse(object);
      if (!changed.success) continue;
      const { uid, resourceVersion } = changed.data.metadata;
      if (type === 'DELETED') this.#byUid.delete(uid);
      else this.#byUid.set(uid, changed.data);
      this.#options.onChange(changed.data, type !== 'DELETED');
      yield resourceVersion;
    }
  }
}
