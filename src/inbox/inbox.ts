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

/** What is left to do: nothing, to look again at a time (epoch milliseconds), or when a request has come so far. */
export type Handled = 'done' | { againAt: number } | { waitsFor: RequestPoint };

/** A kind of what arrives. */
export type InboxKind<Content> = {
  schema: z.ZodType<Content>;
  /** Kinds with the same name here share their keys: what's stored as one of them isn't stored as another. */
  keys?: string;
  /** Called again for the same item after an interruption or an error. */
  handle(content: Content, signal: AbortSignal): Promise<Handled>;
  /** Called when an item has failed for half an hour. */
  giveUp?(content: Content): Promise<void>;
  /** How many items are handled at once. By default one of each workspace, in the order of their arrival. */
  atOnce?: number;
};

export type Intake<Content> = {
  /** Resolves when it's stored. Slack must not be acknowledged before. @returns whether it's new */
  add(key: string, content: Content): Promise<boolean>;
  /** The same for what this process already works on: it's handled when that ends, or again if the process dies. */
  addWhile(key: string, content: Content, working: Promise<unknown>): Promise<void>;
  /**
   * Changes what an item says before it's handled, or while that waits.
   * @param change undefined leaves it as it is
   * @returns what it says now; undefined if it's handled or unknown
   */
  change(
    key: string,
    change: (content: Content) => Content | undefined,
  ): Promise<Content | undefined>;
  /** Whether an item that isn't handled has a key that starts with `prefix` and sorts before this one. */
  hasEarlier(key: string, prefix: string): Promise<boolean>;
};

/** An error that may pass, such as a rate limit. `isQuiet`: it's logged elsewhere. */
type Passing = { reason: string; retryAfterMs: number; isQuiet?: true | undefined };

type InboxParts = {
  items: InboxItems;
  /** Undefined for an error that isn't expected. */
  readPassing(error: unknown): Passing | undefined;
  /** Registers the kinds of a workspace. Called for items that arrived before this process knew their workspace. */
  prepare(teamId: string): Promise<void>;
  yieldToRequests(signal: AbortSignal): Promise<void>;
  logger: Logger;
};

/** After that, another process takes over the items of one that was killed. */
const leaseMs = 5_000;
const workspacesAtOnce = 10;
/** Each kind asks, and only for what a killed process left behind. */
const askEveryMs = 5_000;
/** Longer than an outage. What still fails then would always fail. */
const giveUpAfterMs = 30 * 60_000;

/** Where the features of one workspace register what they handle. */
export type Inbox = {
  register<Content>(name: string, kind: InboxKind<Content>): Intake<Content>;
};

type Worker = LeasedWork<InboxItem, InboxChanges>;

/**
 * Works on what arrived, also on what a killed process left behind. Each workspace has handlers of its own. See
 * docs/protocol.md.
 */
export class Inboxes {
  readonly #parts: InboxParts;
  readonly #workers = new Map<string, Worker>();
  /** By kind and workspace. */
  readonly #kinds = new Map<string, InboxKind<never>>();
  #isStopping = false;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Register all kinds for some workspace before the start. */
  of(teamId: string): Inbox {
    return { register: (name, kind) => this.#register(teamId, name, kind) };
  }

  #register<Content>(teamId: string, name: string, kind: InboxKind<Content>): Intake<Content> {
    const { items } = this.#parts;
    this.#kinds.set(`${name} ${teamId}`, kind as InboxKind<unknown> as InboxKind<never>);
    const idOf = (key: string) => `${kind.keys ?? name} ${teamId} ${key}`;
    const worker = this.#workers.get(name) ?? this.#createWorker(name, kind.atOnce);
    this.#workers.set(name, worker);

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
          const known = read(content);
          return known && change(known);
        });
        return changed === undefined ? undefined : read(changed);
      },
      hasEarlier: (key, prefix) => items.hasEarlier({ id: idOf(key), kind: name }, idOf(prefix)),
      addWhile: async (key, content, working) => {
        // Nothing renews leases any more. At worst it's handled twice, which is safe.
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

  #createWorker(name: string, given: number | undefined): Worker {
    const leases = this.#parts.items.leasesOf(name, given === undefined ? 'one by one' : 'any');
    const atOnce = given ?? workspacesAtOnce;
    return new LeasedWork({
      ...this.#parts,
      what: name,
      atOnce,
      leaseMs,
      askEveryMs,
      leases,
      // The reason of a failure may be gone after a restart: a new token, for example.
      atStart: leases.retryNow,
      task: (item) => handleItem(() => this.#kindFor(name, item), item, this.#parts),
    });
  }

  async #kindFor(name: string, { teamId }: InboxItem): Promise<InboxKind<unknown>> {
    const key = `${name} ${teamId}`;
    await this.#parts.prepare(teamId);
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
   * An error is reported by what works. What fails because the process stops is left for the next one, and what couldn't
   * be saved is handled again.
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
  { readPassing, logger }: Pick<InboxParts, 'readPassing' | 'logger'>,
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
