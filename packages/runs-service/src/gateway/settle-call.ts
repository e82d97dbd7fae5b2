import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import type {
  ModelCalls,
  NewModelCall,
  ReleasedCall,
  Reservation,
  SettledCall,
} from '../store/model-calls.ts';
import type { SpendCap } from '../store/spend-cap.ts';
import type { CheckedCall, SentCall } from './call.ts';
import type { CallLeases } from './call-leases.ts';
import type { Prices } from './prices.ts';
import type { ReadUsage } from './usage/call-usage.ts';

const retryMs = 1_000;
/** Max attempts to store the end of a call. After that, its lease expires and its reservation counts as spent. */
const maxAttempts = 300;
/** Rows of the calls that this process makes. */
export type CallRows = {
  reserve(call: NewModelCall, caps: readonly SpendCap[]): Promise<Reservation>;
  /** Stores the end of a call. Retries while the store is unavailable, so it never rejects. */
  settle(id: string, settled: SettledCall): Promise<void>;
  release(id: string, released: ReleasedCall): Promise<void>;
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

/** Returns the facts to store about a billed call. */
export function settledCall(
  {
    provider,
    model,
    requestBytes,
    maxOutputTokens,
  }: Pick<CheckedCall, 'provider' | 'model' | 'requestBytes' | 'maxOutputTokens'>,
  { outcome, status, reader, durationMs, firstByteAt, responseBytes, upstreamId }: SentCall,
  prices: Pick<Prices, 'priceCall'>,
): SettledCall {
  const reported = reader?.read() ?? nothingRead;
  const read = { ...reported, isFinal: reported.isFinal && outcome === 'completed' };
  const isComplete = outcome === 'completed' || (reported.isFinal && reported.usage !== undefined);
  const cut = isComplete ? undefined : { afterMs: durationMs, maxOutputTokens };
  const price = prices.priceCall({ provider, model, read, requestBytes, cut });
  return {
    outcome,
    status,
    servedModel: read.model,
    usage: read.usage,
    priceMicros: price.micros,
    priceEntry: price.entry,
    isEstimated: price.isEstimated,
    firstByteAt,
    responseBytes,
    upstreamId,
  };
}

const nothingRead: ReadUsage = {
  usage: undefined,
  isFinal: false,
  model: undefined,
  tier: undefined,
  outputBytes: 0,
};
