import { sleep } from 'base/sleep';
import { Loop } from 'base/time/loop';
import { jittered, retryDelayMs } from 'base/time/retry-delay';
import type { RunChange } from 'runs-client/run-change';
import { RunsApiError } from 'runs-client/runs-api-error';
import { type AnnouncedRuns, callTimeoutMs } from '../runs-port.ts';
import { type NewsParts, readNews } from './read-news.ts';

export type ListenerParts = NewsParts & {
  /** Undefined if the connection was removed. */
  runs(): Promise<AnnouncedRuns | undefined>;
  /** Called when a sweep or a request is due. */
  wakeFollower(): void;
};

/** A service without events is asked for them again after this time. */
const offerAgainMs = 10 * 60_000;
/** A stream that ends sooner counts as one more failure. */
const steadyMs = 60_000;
/** Changes that come within this time cause one sweep. */
const collectMs = 40;
/** With more, a sweep is due in any case. */
const mostCollected = 5_000;
const idleMs = 60 * 60_000;

/**
 * Listens to the service's events, and has a sweep made at once if one says something new of a followed run. The sweep
 * finds out what is true. See docs/protocol.md.
 */
export class Listener {
  readonly #parts: ListenerParts;
  readonly #streams = new Loop((signal) => this.#listen(signal));
  readonly #news = new Loop((signal) => this.#work(signal));
  #isListening = false;
  #failures = 0;
  #changes = new Map<string, RunChange>();
  #mustSweep = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#news.start();
    this.#streams.start();
  }

  async stop(): Promise<void> {
    await this.#streams.stop();
    await this.#news.stop();
  }

  /** Whether changes are announced, so that sweeps find little. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Reads one stream to its end. Returns how long to wait before the next one. */
  async #listen(signal: AbortSignal): Promise<number> {
    const { logger } = this.#parts;
    let openedAt = Number.POSITIVE_INFINITY;
    let failure: RunsApiError | undefined;
    try {
      const runs = await this.#parts.runs();
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
    const { connections, connectionId, logger, wakeFollower } = this.#parts;
    const [changes, mustSweep] = [this.#changes, this.#mustSweep];
    this.#changes = new Map();
    this.#mustSweep = false;
    try {
      const isDue = changes.size > 0 && (await readNews(this.#parts, changes));
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

/** Refusals of services without events differ: some take the path for that of a run. */
const finalCodes: ReadonlySet<string> = new Set([
  ...['bad_request', 'forbidden', 'not_found', 'unprocessable', 'client_error', 'bad_response'],
]);

const isPassing = ({ code, status }: RunsApiError) => !finalCodes.has(code) && status !== 501;
