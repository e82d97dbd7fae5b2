import { LRUCache } from 'lru-cache';
import { operatorConnection } from '../../requests/connection.ts';
import type { FollowedRunsStore } from '../../store/following/followed-runs.ts';
import type { AnnouncedRuns } from '../runs-port.ts';
import { Listener, type ListenerDeps } from './listener.ts';

type ListenersDeps = Pick<ListenerDeps, 'connections' | 'wakeFollower' | 'logger'> & {
  runsOf(connectionId: string): Promise<AnnouncedRuns | undefined>;
  followedOf(connectionId: string): FollowedRunsStore;
};

/** Max listeners, because each holds a socket. Connections without one are swept more often. */
const mostListeners = 64;
/**
 * Time after which an unused listener is closed, in ms. While runs are followed, one of the replicas sweeps every 30
 * seconds. A listener in use never gets this old.
 */
const unusedMs = 10 * 60_000;

/** Listens to the operator's service all the time. Listens to other services while this process sweeps their runs. */
export class Listeners {
  readonly #deps: ListenersDeps;
  readonly #operators: Listener;
  readonly #others = new LRUCache<string, Listener>({
    max: mostListeners,
    ttl: unusedMs,
    updateAgeOnGet: true,
    dispose: (listener) => this.#end(listener),
  });
  readonly #ending = new Set<Promise<void>>();
  #isStopped = false;

  constructor(deps: ListenersDeps) {
    this.#deps = deps;
    this.#operators = this.#create(operatorConnection);
  }

  start(): void {
    this.#operators.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#others.clear();
    await Promise.all([this.#operators.stop(), ...this.#ending]);
  }

  /** Returns true while this connection announces changes. */
  isListening(connectionId: string): boolean {
    if (connectionId === operatorConnection) return this.#operators.isListening;
    return this.#others.peek(connectionId)?.isListening ?? false;
  }

  /** Call this when runs of the connection start or stop being followed. */
  follow(connectionId: string, isFollowed: boolean): void {
    if (this.#isStopped || connectionId === operatorConnection) return;
    this.#others.purgeStale();
    if (!isFollowed) this.#others.delete(connectionId);
    else if (!this.#others.get(connectionId)) {
      const listener = this.#create(connectionId);
      this.#others.set(connectionId, listener);
      listener.start();
    }
  }

  #end(listener: Listener): void {
    const ending = listener.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #create(connectionId: string): Listener {
    const { connections, runsOf, followedOf, wakeFollower, logger } = this.#deps;
    return new Listener({
      connectionId,
      connections,
      followed: followedOf(connectionId),
      runs: () => runsOf(connectionId),
      wakeFollower,
      logger: connectionId === operatorConnection ? logger : logger.child({ connectionId }),
    });
  }
}
