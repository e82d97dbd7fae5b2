import { type Finished, LeasedWork, type Leases, type Task } from '../lib/leased-work.ts';
import type { Connection, ConnectionChanges, Connections } from '../store/following/connections.ts';
import type { RequestLeases } from '../store/requests/request-leases.ts';
import type { RequestChanges, RunRequest } from '../store/requests/request-row.ts';
import { advance } from './advance.ts';
import { workspaceConnection } from './connection.ts';
import { Listener } from './listener.ts';
import type { FollowingParts } from './parts.ts';
import type { AnnouncedRuns } from './runs-port.ts';
import { sweepTask } from './sweep.ts';
import type { SweepParts } from './sweep-parts.ts';
import { track } from './track.ts';

const requestLeaseMs = 5_000;
/** Shorter, because nothing is known of any run until another replica takes over the sweep. */
const sweepLeaseMs = 2_500;
const requestsAtOnce = 20;

export type FollowerParts = FollowingParts &
  Omit<SweepParts, 'isListening'> & {
    runs: AnnouncedRuns;
    leases: RequestLeases;
    connections: Connections;
    /** Resolves when no crowd of people waits for an answer. */
    yieldToRequests(signal: AbortSignal): Promise<void>;
    /** Called after work on a request, with what was known before and after it. */
    onAdvance?(before: RunRequest, after: RunRequest): void;
  };

/** Carries every accepted request to its end, and sweeps the runs service for changes of their runs. */
export class Follower {
  readonly #requests: LeasedWork<RunRequest, RequestChanges>;
  readonly #sweeps: LeasedWork<Connection, ConnectionChanges>;
  readonly #listener: Listener;

  constructor(parts: FollowerParts) {
    const isListening = () => this.#listener.isListening;
    this.#requests = new LeasedWork({
      ...parts,
      what: 'request',
      task: (request) => requestTask(parts, request),
      atOnce: requestsAtOnce,
      leaseMs: requestLeaseMs,
      afterRelease: () => {
        this.#sweeps.wake();
        parts.wakeOutbox();
      },
    });
    this.#sweeps = new LeasedWork({
      ...parts,
      what: 'sweep',
      leases: sweptFromStart(parts.connections),
      task: (connection) =>
        sweepTask({ ...parts, isListening }, connection, () => {
          this.wake();
          parts.wakeOutbox();
        }),
      atOnce: 1,
      leaseMs: sweepLeaseMs,
    });
    const wakeFollower = () => {
      this.wake();
      this.#sweeps.wake();
    };
    this.#listener = new Listener({ ...parts, wakeFollower });
  }

  start(): void {
    this.#requests.start();
    this.#sweeps.start();
    this.#listener.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#listener.stop(), this.#requests.stop(), this.#sweeps.stop()]);
  }

  /** A request is due. */
  wake(): void {
    this.#requests.wake();
  }

  /** When the store last answered what is due (epoch milliseconds). */
  get askedAt(): number {
    return this.#requests.askedAt;
  }
}

function requestTask(
  parts: Pick<FollowerParts, 'onAdvance'> & FollowingParts,
  request: RunRequest,
): Task<RequestChanges> {
  const tracked = track(parts.leases, request);
  const { id: requestId, teamId, runId } = request;
  const logger = parts.logger.child({ requestId, teamId, ...(runId !== null && { runId }) });
  return {
    async run(signal) {
      const dueAt = await advance({ ...parts, logger }, tracked, signal);
      parts.onAdvance?.(request, tracked.request);
      return dueAt;
    },
    get changes() {
      return tracked.notes;
    },
  };
}

/** The connection, which is swept at once after a start. */
function sweptFromStart(connections: Connections): Leases<Connection, ConnectionChanges> {
  let isAwake = false;
  return {
    async claim(...args) {
      if (!isAwake) await connections.wake(workspaceConnection, 0);
      isAwake = true;
      return connections.claim(...args);
    },
    renew: (...args) => connections.renew(...args),
    release: (finished: readonly Finished<ConnectionChanges>[]) => connections.release(finished),
    nextDueInMs: () => connections.nextDueInMs(),
  };
}
