import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type { CallOutcome } from '../store/call-outcome.ts';
import type { ModelCalls, NewModelCall, Reservation, SettledCall } from '../store/model-calls.ts';
import type { SpendCap } from '../store/spend-cap.ts';
import type { CheckedCall, SentCall } from './call.ts';
import type { CallLeases } from './call-leases.ts';
import type { Prices } from './prices.ts';
import type { CallUsage } from './usage/call-usage.ts';

const retryMs = 1_000;
/** Max attempts to store the end of a call. After that, its lease expires and its reservation counts as spent. */
const maxAttempts = 300;
/** Average size of a token, for estimates. */
const bytesPerToken = 4;
/** Output tokens to reserve for a run's first call of a model. */
const firstOutputTokens = 2_000;

/** Rows of the calls that this process makes. */
export type CallRows = {
  reserve(call: NewModelCall, caps: readonly SpendCap[]): Promise<Reservation>;
  /** Stores the end of a call. Retries while the store is unavailable, so it never rejects. */
  settle(id: string, settled: SettledCall): Promise<void>;
  release(id: string, end: { status: number; outcome: CallOutcome }): Promise<void>;
};

export function createCallRows({
  calls,
  owner,
  leases,
  stopping,
  logger,
}: {
  calls: Pick<ModelCalls, 'reserve' | 'settle' | 'release'>;
  owner: string;
  leases: CallLeases;
  stopping: AbortSignal;
  logger: Logger;
}): CallRows {
  async function end(id: string, work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      try {
        await work();
        break;
      } catch (error) {
        logger.warn({ err: error, callId: id }, 'cannot store the end of a model call');
      }
      if (stopping.aborted) break;
      await sleep(retryMs, stopping);
    }
    leases.inProgress.delete(id);
  }
  return {
    async reserve(call, caps) {
      const reservation = await calls.reserve(call, caps);
      if (reservation.outcome === 'reserved') leases.inProgress.add(call.id);
      return reservation;
    },
    settle: (id, settled) => end(id, () => calls.settle(id, owner, settled)),
    release: (id, why) => end(id, () => calls.release(id, owner, why)),
  };
}

const noUsage: CallUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
  output: 0,
  reasoning: 0,
  webSearches: 0,
};

/** Returns the price of a typical call of this size, or undefined if the model has no price and needs one. */
export function estimateOf(
  { provider, model, requestBytes }: Pick<CheckedCall, 'provider' | 'model' | 'requestBytes'>,
  prices: Prices,
): number | undefined {
  const input = Math.ceil(requestBytes / bytesPerToken);
  const usage = { ...noUsage, input, output: firstOutputTokens };
  return prices.priceOf({ provider, model, usage, tier: undefined })?.micros;
}

/** Returns the facts to store about a billed call. Incomplete reports are completed with estimates. */
export function settledCall(
  { provider, model, requestBytes }: Pick<CheckedCall, 'provider' | 'model' | 'requestBytes'>,
  { outcome, status, reader, firstByteAt, responseBytes, upstreamId }: SentCall,
  prices: Prices,
): SettledCall {
  const read = reader?.read();
  const isEstimated = outcome !== 'completed' || !read?.isFinal;
  const usage = isEstimated ? estimatedUsage(read, requestBytes) : read?.usage;
  const served = read?.model;
  const price = usage && prices.priceOf({ provider, model: served ?? model, usage, tier: read?.tier });
  return {
    outcome,
    status,
    servedModel: served,
    usage,
    priceMicros: price?.micros,
    priceEntry: price?.entry,
    isEstimated,
    firstByteAt,
    responseBytes,
    upstreamId,
  };
}

type Read = ReturnType<NonNullable<SentCall['reader']>['read']>;

function estimatedUsage(read: Read | undefined, requestBytes: number): CallUsage {
  const reported = read?.usage ?? { ...noUsage, input: Math.ceil(requestBytes / bytesPerToken) };
  const seen = Math.ceil((read?.outputBytes ?? 0) / bytesPerToken);
  return { ...reported, output: Math.max(reported.output, seen) };
}
