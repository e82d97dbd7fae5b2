import type { CallOptions } from '../call-options.ts';
import type { Run } from '../contract.ts';
import { RunsApiError } from '../runs-api-error.ts';
import { sleep } from '../sleep.ts';

export type WaitOptions = {
  /** Function that is called with the first state of the run and after every change. */
  onChange?: ((run: Run) => void) | undefined;
  /** Time limit in ms, after which the wait fails with `timeout` and the run continues. No limit by default. */
  timeoutMs?: number | undefined;
  /** Signal that ends the wait, which then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Time between two requests in ms. By default 1 s at first, growing to 30 s. */
  pollMs?: number | undefined;
};

const firstPollMs = 1_000;
const longestPollMs = 30_000;
const growth = 1.5;

/** Max number of unusable responses in a row, because a proxy may respond for a while instead of the service. */
const mostBadResponses = 10;

/** The longest timer that Node supports, in ms. A longer one would fire immediately. */
const longestTimeoutMs = 2 ** 31 - 1;

type GetRun = (call: CallOptions) => Promise<Run>;

/**
 * Polls a run until it ends. Continues through outages, but fails if the service rejects the request (unknown run, bad
 * key).
 */
export async function waitForRun(getRun: GetRun, options: WaitOptions): Promise<Run> {
  const { timeoutMs } = options;
  if (timeoutMs === undefined) return poll(getRun, options);
  const limit = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), longestTimeoutMs));
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  try {
    return await poll(getRun, { ...options, signal });
  } catch (error) {
    if (error !== limit.reason) throw error;
    const message = `the run hasn't ended within ${timeoutMs} ms; it continues`;
    throw new RunsApiError({ code: 'timeout', message, retryable: true });
  }
}

async function poll(getRun: GetRun, options: WaitOptions): Promise<Run> {
  const { isTerminalState } = await import('../contract.ts');
  const { signal, onChange } = options;
  let pauseMs = options.pollMs ?? firstPollMs;
  let shown: string | undefined;
  let badResponses = 0;
  for (;;) {
    signal?.throwIfAborted();
    const run = await readOrRetryLater(getRun, signal);
    const isBad = run instanceof RunsApiError && run.code === 'bad_response';
    badResponses = isBad ? badResponses + 1 : 0;
    if (badResponses > mostBadResponses) throw run;
    if (!(run instanceof RunsApiError)) {
      const visible = JSON.stringify(run);
      if (visible !== shown) onChange?.(run);
      shown = visible;
      if (isTerminalState(run.state)) return run;
    }
    const askedMs = run instanceof RunsApiError ? (run.retryAfterMs ?? 0) : 0;
    // Add 10% jitter, so that many clients don't poll at the same time.
    await sleep(Math.max(askedMs, pauseMs * (0.9 + Math.random() * 0.2)), signal);
    if (options.pollMs === undefined) pauseMs = Math.min(longestPollMs, pauseMs * growth);
  }
}

async function readOrRetryLater(
  getRun: (call: CallOptions) => Promise<Run>,
  signal: AbortSignal | undefined,
): Promise<Run | RunsApiError> {
  try {
    return await getRun({ signal, maxRetries: 0 });
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (error.retryable || error.code === 'bad_response') return error;
    throw error;
  }
}
