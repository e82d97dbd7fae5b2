import { inSpan } from 'base/in-span';
import { LeasedWork, type LeasedWorkReport, type Task } from 'base/leased-work';
import type { Logger } from 'base/logger';
import { operatorConnection } from '../requests/connection.ts';
import type { Connection, ConnectionChanges } from '../store/following/connections.ts';
import type { FollowedRequest, RequestChanges } from '../store/requests/request-row.ts';
import type { Store } from '../store/store.ts';
import { endForRemovedConnection } from './end-for-removed-connection.ts';
import { Listeners } from './listening/listeners.ts';
import type { AnnouncedRuns, FollowedRuns, ListedRuns } from './runs-port.ts';
import { advance } from './steps/advance.ts';
import type { RequestFiles } from './steps/attach-files.ts';
import type { Attribution } from './steps/attribute-run.ts';
import type { CapCheck } from './steps/check-caps.ts';
import { sweepTask } from './sweeps/sweep.ts';
import { track } from './track.ts';

const requestLeaseMs = 5_000;
/**
 * Lease time of a sweep, in ms. It's short because run changes aren't shown until another replica takes over from a
 * crashed one.
 */
const sweepLeaseMs = 2_500;
const requestsAtOnce = 20;
/** Max sweeps at once. Several run at once so that a slow service doesn't delay the others. */
const sweepsAtOnce = 20;

export type FollowerDeps = {
  store: Store['following'];
  /** Returns the calls to the runs API of this connection. Undefined if the connection was removed. */
  runsOf(connectionId: string): Promise<(FollowedRuns & ListedRuns & AnnouncedRuns) | undefined>;
  files: RequestFiles;
  attribution: Attribution;
  caps: CapCheck;
  /** Wakes the outbox, because a message may have to be posted or updated. */
  wakeOutbox(): void;
  reports?:
    | {
        onWork?(work: LeasedWorkReport): void;
        /** Called after each piece of work on a request, with the request before and after it. */
        onAdvance?(before: FollowedRequest, after: FollowedRequest): void;
      }
    | undefined;
  logger: Logger;
};

/** Follows every accepted request until its end. Sweeps the runs services for changes of their runs. */
export class Follower {
  readonly #deps: FollowerDeps;
  readonly #requests: LeasedWork<FollowedRequest, RequestChanges>;
  readonly #sweeps: LeasedWork<Connection, ConnectionChanges>;
  readonly #listeners: Listeners;

  constructor(deps: FollowerDeps) {
    const { store, runsOf, wakeOutbox, reports, logger } = deps;
    this.#deps = deps;
    this.#requests = new LeasedWork({
      what: 'request',
      leases: store.leases,
      task: (request) => this.#requestTask(request),
      atOnce: requestsAtOnce,
      leaseMs: requestLeaseMs,
      onWork: reports?.onWork,
      afterRelease: () => {
        this.#sweeps.wake();
        wakeOutbox();
      },
      logger,
    });
    this.#sweeps = new LeasedWork({
      what: 'sweep',
      leases: store.connections,
      // Make a sweep of the operator's connection due at the start.
      atStart: () => store.connections.wake(operatorConnection, 0),
      task: (connection) => this.#connectionTask(connection),
      atOnce: sweepsAtOnce,
      leaseMs: sweepLeaseMs,
      onWork: reports?.onWork,
      logger,
    });
    this.#listeners = new Listeners({
      connections: store.connections,
      followedOf: store.followedOf,
      runsOf,
      wakeFollower: () => {
        this.wake();
        this.#sweeps.wake();
      },
      logger,
    });
  }

  start(): void {
    this.#requests.start();
    this.#sweeps.start();
    this.#listeners.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#listeners.stop(), this.#requests.stop(), this.#sweeps.stop()]);
  }

  /** Call this when a request may be due. */
  wake(): void {
    this.#requests.wake();
  }

  /** Time when the store last reported which requests are due, in epoch ms. */
  get askedAt(): number {
    return this.#requests.askedAt;
  }

  #requestTask(leased: FollowedRequest): Task<RequestChanges> {
    const { store, runsOf, files, attribution, caps, reports } = this.#deps;
    const { requests, connections, answers, lengths } = store;
    const { id: requestId, teamId, runId, connectionId } = leased;
    const logger = this.#deps.logger.child({ requestId, teamId, ...(runId !== null && { runId }) });
    const tracked = track(store.leases, leased);
    return {
      run: (signal) =>
        inSpan('advance request', { requestId, teamId }, async () => {
          const runs = await runsOf(connectionId);
          const dueAt = runs
            ? await advance(
                { requests, connections, answers, lengths, runs, files, attribution, caps, logger },
                tracked,
                signal,
              )
            : await endForRemovedConnection({ answers, logger }, tracked);
          reports?.onAdvance?.(leased, tracked.request);
          return dueAt;
        }),
      changes: tracked.notes,
    };
  }

  #connectionTask(connection: Connection): Task<ConnectionChanges> {
    const { store, runsOf, wakeOutbox, logger } = this.#deps;
    const { id } = connection;
    let task: Task<ConnectionChanges> | undefined;
    return {
      run: async (signal) => {
        const runs = await runsOf(id);
        task =
          runs &&
          sweepTask(
            {
              followed: store.followedOf(id),
              connections: store.connections,
              runs,
              isListening: () => this.#listeners.isListening(id),
              logger,
            },
            connection,
            () => {
              this.wake();
              wakeOutbox();
            },
          );
        const dueAt = (await task?.run(signal)) ?? null;
        this.#listeners.follow(id, dueAt !== null);
        return dueAt;
      },
      changes: () => task?.changes() ?? {},
    };
  }
}
