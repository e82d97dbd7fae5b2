import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { Loop } from 'base/time/loop';
import { jittered, retryDelayMs } from 'base/time/retry-delay';
import { isTerminalState } from 'runs-client/contract';
import type { RunChange } from 'runs-client/run-change';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Connections } from '../../store/following/connections.ts';
import type { FollowedRunsStore } from '../../store/following/followed-runs.ts';
import type { FollowedRequest } from '../../store/requests/request-row.ts';
import { type AnnouncedRuns, callTimeoutMs } from '../runs-port.ts';

export type ListenerDeps = NewsDeps & {
  /** Returns the calls to the runs API. Undefined if the connection was removed. */
  runs(): Promise<AnnouncedRuns | undefined>;
  /** Wakes the follower, because a sweep or a request is due. */
  wakeFollower(): void;
};

/** Time after which a service without events is tried again, in ms. */
const offerAgainMs = 10 * 60_000;
/** Min duration of a stable stream, in ms. A shorter one is treated as a failure, so the next try waits longer. */
const steadyMs = 60_000;
/** Time to collect changes before a sweep, in ms, so that they share one. */
const collectMs = 40;
/** Max changes to collect before a sweep. If there are more, all are dropped, because the sweep finds them. */
const mostCollected = 5_000;
const idleMs = 60 * 60_000;

/**
 * Listens to the service's events. Starts a sweep at once if an event announces something new about a followed run. The
 * event itself never changes the stored run. See docs/architecture.md.
 */
export class Listener {
  readonly #deps: ListenerDeps;
  readonly #streams = new Loop((signal) => this.#listen(signal));
  readonly #news = new Loop((signal) => this.#work(signal));
  #isListening = false;
  #failures = 0;
  #changes = new Map<string, RunChange>();
  #mustSweep = false;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#news.start();
    this.#streams.start();
  }

  async stop(): Promise<void> {
    await this.#streams.stop();
    await this.#news.stop();
  }

  /** True while the service announces changes. Sweeps then find few changes that weren't announced. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Reads one stream to its end. Returns the time to wait before opening the next stream, in ms. */
  async #listen(signal: AbortSignal): Promise<number> {
    const { logger } = this.#deps;
    let openedAt = Number.POSITIVE_INFINITY;
    let failure: RunsApiError | undefined;
    try {
      const runs = await this.#deps.runs();
      if (!runs) return offerAgainMs;
      for await (const event of runs.events({ signal, timeoutMs: callTimeoutMs })) {
        this.#isListening = true;
        if (event.type === 'open') openedAt = performance.now();
        if (event.type === 'change') this.#collect(event.run);
        else this.#sweep();
      }
    } catch (error) {
      if (error instanceof RunsApiError) failure = error;
      else if (!signal.aborted) logger.error({ err: error }, 'events of the runs service not read');
    }
    const wasListening = this.#isListening;
    this.#isListening = false;
    if (signal.aborted) return 0;
    if (wasListening) this.#sweep();
    const { code, status, retryAfterMs } = failure ?? {};
    if (failure && !isPassing(failure)) {
      logger.info({ code, status }, 'no events of the runs service; sweeping instead');
      return jittered(offerAgainMs, Math.random());
    }
    const isSteady = performance.now() - openedAt >= steadyMs;
    this.#failures = isSteady ? 1 : this.#failures + 1;
    logger.warn({ code, failures: this.#failures }, 'events of the runs service ended');
    return retryDelayMs(this.#failures, retryAfterMs);
  }

  #collect(change: RunChange): void {
    this.#changes.set(change.run_id, change);
    if (this.#changes.size > mostCollected) this.#sweep();
    else this.#news.wake();
  }

  #sweep(): void {
    this.#changes.clear();
    this.#mustSweep = true;
    this.#news.wake();
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { connections, connectionId, logger, wakeFollower } = this.#deps;
    const [changes, mustSweep] = [this.#changes, this.#mustSweep];
    this.#changes = new Map();
    this.#mustSweep = false;
    try {
      const isDue = changes.size > 0 && (await isCoveredBySweep(this.#deps, changes));
      if (mustSweep || isDue) await connections.wake(connectionId, 0);
      if (mustSweep || changes.size > 0) wakeFollower();
    } catch (error) {
      logger.error({ err: error }, 'the store did not answer; sweeping later');
      this.#mustSweep = true;
      await sleep(retryDelayMs(1), signal);
      return 0;
    }
    await sleep(collectMs, signal);
    return idleMs;
  }
}

/**
 * Error codes of services that offer no events. Some services read `events` in the path as a run ID, so their codes
 * differ.
 */
const finalCodes: ReadonlySet<string> = new Set([
  ...['bad_request', 'forbidden', 'not_found', 'unprocessable', 'client_error', 'bad_response'],
  'budget_exceeded',
]);

const isPassing = ({ code, status }: RunsApiError) => !finalCodes.has(code) && status !== 501;

export type NewsDeps = {
  connections: Pick<Connections, 'find' | 'wake'>;
  followed: Pick<FollowedRunsStore, 'ofRuns' | 'pollNow'>;
  connectionId: string;
  logger: Logger;
};

/**
 * Returns true if a sweep would find at least one of these announced changes, keyed by run ID. A sweep misses changes
 * older than its watermark, so this function makes their runs due for a poll.
 */
export async function isCoveredBySweep(
  { connections, followed, connectionId }: Omit<NewsDeps, 'logger'>,
  changes: ReadonlyMap<string, RunChange>,
): Promise<boolean> {
  const connection = await connections.find(connectionId);
  // Return false for other modes, because their sweeps cost too much to run for each change.
  if (connection?.mode !== 'changes') return false;
  const news = (await followed.ofRuns([...changes.keys()])).flatMap((request) => {
    const change = changes.get(request.runId ?? '');
    return change && isNews(change, request) ? [change] : [];
  });
  const { watermark } = connection;
  const isPassed = ({ updated_at: at }: RunChange) =>
    watermark !== null && Date.parse(at) <= watermark;
  const passed = news.filter(isPassed);
  if (passed.length > 0) await followed.pollNow(passed.map(({ run_id: id }) => id));
  return passed.length < news.length;
}

/**
 * Returns true if an announced change is newer than the stored one. Events can repeat or arrive out of order. The first
 * change to a final state always applies, whatever its time.
 */
function isNews(change: RunChange, { run, pendingUpdate }: FollowedRequest): boolean {
  const newest = pendingUpdate ?? run;
  if (!newest) return true;
  if (isTerminalState(change.state) && !isTerminalState(newest.state)) return true;
  const laterMs = Date.parse(change.updated_at) - Date.parse(newest.updated_at);
  return laterMs > 0 || (laterMs === 0 && change.state !== newest.state);
}
