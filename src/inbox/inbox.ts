import { StoreUnavailable } from 'base/database/store-unavailable';
import { LeasedWork, type Task } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { retryDelayMs } from 'base/time/retry-delay';
import type { z } from 'zod';
import type {
  InboxChanges,
  InboxItem,
  InboxItems,
  RequestPoint,
} from '../store/inbox/inbox-items.ts';

/** Result of handling an item: done, try again at a time (epoch ms), or wait for a point of a request. */
export type InboxOutcome = 'done' | { againAt: number } | { waitsFor: RequestPoint };

/** Max items of each kind that are handled at once. */
const atOnceOf = {
  delivery: 10,
  mention: 'in order',
  'private-answer': 5,
  'question-to-owner': 5,
  reply: 'in order',
  'revoke-link': 'in order',
  stop: 5,
  'workflow-step': 'in order',
  'workflow-stuck': 'in order',
} as const satisfies Record<string, number | 'in order'>;

export type InboxKindName = keyof typeof atOnceOf;

/**
 * Max number of workspaces whose `in order` items are handled at once. Each workspace has one at a time, in order of
 * arrival.
 */
const workspacesAtOnce = 10;

/** Handles items of one kind in one workspace. */
export type InboxKind<Content> = {
  schema: z.ZodType<Content>;
  /** Kinds with the same `keys` share their keys, so an item of one kind isn't stored again as another kind. */
  keys?: string;
  /** Handles an item. Called again for the same item after an interruption or an error. */
  handle(content: Content, signal: AbortSignal): Promise<InboxOutcome>;
  /** Called when an item has failed for half an hour. */
  giveUp?(content: Content): Promise<void>;
};

export type Intake<Content> = {
  /** Stores an item. Acknowledge Slack only after this resolves. Returns true if the item is new. */
  add(key: string, content: Content): Promise<boolean>;
  /** Stores an item while this process already works on it. If the process dies, another one handles the item. */
  addWhile(key: string, content: Content, working: Promise<unknown>): Promise<void>;
  /**
   * Changes the content of an item that isn't handled yet.
   * @param change returns undefined to leave the content as it is
   * @returns the content now; undefined if the item is handled or unknown
   */
  change(
    key: string,
    change: (content: Content) => Content | undefined,
  ): Promise<Content | undefined>;
  /** Returns true if there is an unhandled item with a key that starts with `prefix` and sorts before `key`. */
  hasEarlier(key: string, prefix: string): Promise<boolean>;
};

/** A failure that may be temporary, such as a rate limit. `isQuiet` means that it's logged elsewhere. */
type Passing = { reason: string; retryAfterMs: number; isQuiet?: true | undefined };

type InboxesDeps = {
  items: InboxItems;
  /** Returns the failure if it may be temporary. Undefined for an unexpected error. */
  readPassing(error: unknown): Passing | undefined;
  /** Registers the kinds of a workspace. Called for items that arrived before this process knew their workspace. */
  prepare(teamId: string): Promise<void>;
  logger: Logger;
};

/** Lease time of an item, in ms. After that, another process takes over from a process that was killed. */
const leaseMs = 5_000;
/**
 * Interval of asking for items of killed processes, in ms. Each kind asks separately, so the interval is longer than
 * usual.
 */
const askEveryMs = 5_000;
/** Time after which an item is given up, in ms. Longer than an outage, so a failure that remains is permanent. */
const giveUpAfterMs = 30 * 60_000;

/** Registers how the features of one workspace handle their items. */
export type Inbox = {
  register<Content>(name: InboxKindName, kind: InboxKind<Content>): Intake<Content>;
};

type Worker = LeasedWork<InboxItem, InboxChanges>;

/**
 * Handles items that arrived, including those of killed processes. Each workspace has separate handlers. See
 * docs/architecture.md.
 */
export class Inboxes {
  readonly #deps: InboxesDeps;
  readonly #workers: ReadonlyMap<InboxKindName, Worker>;
  /** Registered kinds, keyed by kind and workspace. */
  readonly #kinds = new Map<string, InboxKind<never>>();
  #isStopping = false;

  constructor(deps: InboxesDeps) {
    this.#deps = deps;
    const names = Object.keys(atOnceOf) as InboxKindName[];
    this.#workers = new Map(names.map((name) => [name, this.#createWorker(name)]));
  }

  of(teamId: string): Inbox {
    return { register: (name, kind) => this.#register(teamId, name, kind) };
  }

  #register<Content>(
    teamId: string,
    name: InboxKindName,
    kind: InboxKind<Content>,
  ): Intake<Content> {
    const { items } = this.#deps;
    this.#kinds.set(`${name} ${teamId}`, kind as InboxKind<unknown> as InboxKind<never>);
    const idOf = (key: string) => `${kind.keys ?? name} ${teamId} ${key}`;
    const worker = this.#workers.get(name) as Worker;

    const add: Intake<Content>['add'] = async (key, content) => {
      const isNew = await items.add({ id: idOf(key), kind: name, teamId, content });
      if (isNew) worker.wake();
      return isNew;
    };
    return {
      add,
      async change(key, change) {
        const read = (content: unknown) => kind.schema.safeParse(content).data;
        const changed = await items.change({ id: idOf(key), kind: name }, (content) => {
          const existing = read(content);
          return existing && change(existing);
        });
        return changed === undefined ? undefined : read(changed);
      },
      hasEarlier: (key, prefix) => items.hasEarlier({ id: idOf(key), kind: name }, idOf(prefix)),
      addWhile: async (key, content, working) => {
        // Store the item without a lease during a stop, because leases aren't renewed then. It may be handled twice,
        // which is safe.
        if (this.#isStopping) return void (await add(key, content));
        const item = await items.addLeased(
          { id: idOf(key), kind: name, teamId, content },
          worker.owner,
          leaseMs,
        );
        if (item) worker.adopt(item, this.#awaitWork(working));
      },
    };
  }

  #createWorker(name: InboxKindName): Worker {
    const { items, logger } = this.#deps;
    const atOnce: number | 'in order' = atOnceOf[name];
    const isInOrder = atOnce === 'in order';
    const leases = items.leasesOf(name, isInOrder ? 'one by one' : 'any');
    return new LeasedWork({
      what: name,
      atOnce: isInOrder ? workspacesAtOnce : atOnce,
      leaseMs,
      askEveryMs,
      leases,
      // Retry failed items at the start, because a restart may have fixed the cause, for example with a new token.
      atStart: leases.retryNow,
      task: (item) => handleItem(() => this.#kindFor(name, item), item, this.#deps),
      logger,
    });
  }

  async #kindFor(name: string, { teamId }: InboxItem): Promise<InboxKind<unknown>> {
    const key = `${name} ${teamId}`;
    await this.#deps.prepare(teamId);
    const kind = this.#kinds.get(key) as InboxKind<unknown> | undefined;
    if (!kind) throw new Error(`Nothing handles ${key}`);
    return kind;
  }

  start(): void {
    this.#isStopping = false;
    for (const worker of this.#workers.values()) worker.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  /**
   * Waits for work that reports its own errors. If the work fails because the process stops, the next process handles
   * the item. If the store was unavailable, the item is handled again.
   */
  #awaitWork(working: Promise<unknown>): Task<InboxChanges> {
    let changes: InboxChanges = {};
    return {
      run: async () => {
        const [ended] = await Promise.allSettled([working]);
        if (ended.status === 'rejected' && this.#isStopping) return Date.now();
        if (ended.status === 'rejected' && ended.reason instanceof StoreUnavailable)
          return Date.now() + retryDelayMs(1);
        changes = { handledAt: Date.now() };
        return null;
      },
      changes: () => changes,
    };
  }
}

function handleItem(
  readKind: () => Promise<InboxKind<unknown>>,
  item: InboxItem,
  { readPassing, logger }: Pick<InboxesDeps, 'readPassing' | 'logger'>,
): Task<InboxChanges> {
  const failures = item.failures + 1;
  let changes: InboxChanges = { failures };
  const done = () => {
    changes = { handledAt: Date.now() };
    return null;
  };
  return {
    async run(signal) {
      const { schema, handle, giveUp } = await readKind();
      const content = schema.safeParse(item.content);
      if (!content.success) {
        logger.error({ id: item.id }, 'an item of the inbox is unreadable; dropped');
        return done();
      }
      const isOld = Date.now() - item.receivedAt > giveUpAfterMs;
      const left = await handle(content.data, signal).catch(async (error: unknown) => {
        const passing = readPassing(error);
        if (passing && !isOld) return passing;
        if (!isOld || signal.aborted) throw error;
        logger.error({ err: error, id: item.id }, 'an item of the inbox keeps failing; dropped');
        await giveUp?.(content.data);
        return 'done' as const;
      });
      if (left === 'done') return done();
      if ('retryAfterMs' in left) {
        const { reason, retryAfterMs, isQuiet } = left;
        logger[isQuiet ? 'debug' : 'warn']({ id: item.id, reason }, 'an item of the inbox waits');
        return Date.now() + retryDelayMs(failures, retryAfterMs);
      }
      changes = 'waitsFor' in left ? { waitsFor: left.waitsFor } : {};
      return 'againAt' in left ? left.againAt : null;
    },
    changes: () => changes,
  };
}
