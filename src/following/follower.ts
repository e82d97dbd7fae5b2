import { inSpan } from 'base/in-span';
import { LeasedWork, type Task } from 'base/leased-work';
import { operatorConnection } from '../requests/connection.ts';
import type { Connection, ConnectionChanges, Connections } from '../store/following/connections.ts';
import type { FollowedRunsStore } from '../store/following/followed-runs.ts';
import type { RequestLeases } from '../store/requests/request-leases.ts';
import type { RequestChanges, RunRequest } from '../store/requests/request-row.ts';
import { Listeners } from './listening/listeners.ts';
import { loseConnection } from './lose-connection.ts';
import type { FollowingParts } from './parts.ts';
import type { AnnouncedRuns, FollowedRuns, ListedRuns } from './runs-port.ts';
import { advance } from './steps/advance.ts';
import { sweepTask } from './sweeps/sweep.ts';
import { track } from './track.ts';

const requestLeaseMs = 5_000;
/** Shorter, because nothing is known of any run until another replica takes over the sweep. */
const sweepLeaseMs = 2_500;
const requestsAtOnce = 20;
/** A service that is slow to answer must not delay the others. */
const sweepsAtOnce = 20;

export type FollowerParts = Omit<FollowingParts, 'runs'> & {
  /** Through this connection; undefined if it was removed. */
  runsOf(connectionId: string): Promise<(FollowedRuns & ListedRuns & AnnouncedRuns) | undefined>;
  followedOf(connectionId: string): FollowedRunsStore;
  leases: RequestLeases;
  connections: Connections;
  /** Called after work on a request, with what was known before and after it. */
  onAdvance?(before: RunRequest, after: RunRequest): void;
};

/** Carries every accepted request to its end, and sweeps the runs service for changes of their runs. */
export class Follower {
  readonly #requests: LeasedWork<RunRequest, RequestChanges>;
  readonly #sweeps: LeasedWork<Connection, ConnectionChanges>;
  readonly #listeners: Listeners;

  constructor(parts: FollowerParts) {
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
      leases: parts.connections,
      // The operator's connection is swept at once after a start.
      atStart: () => parts.connections.wake(operatorConnection, 0),
      task: (connection) =>
        connectionTask(parts, connection, this.#listeners, () => {
          this.wake();
          parts.wakeOutbox();
        }),
      atOnce: sweepsAtOnce,
      leaseMs: sweepLeaseMs,
    });
    const wakeFollower = () => {
      this.wake();
      this.#sweeps.wake();
    };
    this.#listeners = new Listeners({ ...parts, wakeFollower });
  }

  start(): void {
    this.#requests.start();
    this.#sweeps.start();
    this.#listeners.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#listeners.stop(), this.#requests.stop(), this.#sweeps.stop()]);
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

function requestTask(parts: FollowerParts, request: RunRequest): Task<RequestChanges> {
  const tracked = track(parts.leases, request);
  const { id: requestId, teamId, runId, connectionId } = request;
  const logger = parts.logger.child({ requestId, teamId, ...(runId !== null && { runId }) });
  return {
    run: (signal) =>
      inSpan('advance request', { requestId, teamId }, async () => {
        const runs = await parts.runsOf(connectionId);
        const dueAt = runs
          ? await advance({ ...parts, runs, logger }, tracked, signal)
          : await loseConnection({ ...parts, logger }, tracked);
        parts.onAdvance?.(request, tracked.request);
        return dueAt;
      }),
    changes: tracked.notes,
  };
}

function connectionTask(
  parts: FollowerParts,
  connection: Connection,
  listeners: Listeners,
  afterSweep: () => void,
): Task<ConnectionChanges> {
  const { id } = connection;
  let task: Task<ConnectionChanges> | undefined;
  return {
    async run(signal) {
      const runs = await parts.runsOf(id);
      const followed = parts.followedOf(id);
      const isListening = () => listeners.isListening(id);
      task = runs && sweepTask({ ...parts, runs, followed, isListening }, connection, afterSweep);
      const dueAt = (await task?.run(signal)) ?? null;
      listeners.follow(id, dueAt !== null);
      return dueAt;
    },
    changes: () => task?.changes() ?? {},
  };
}
