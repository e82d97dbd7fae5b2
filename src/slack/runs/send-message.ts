import { RunsApiError } from 'runs-client/runs-api-error';
import type { Connected } from './connected.ts';

/**
 * `not taken`: the service takes no messages for this run. `undone`: nothing was sent, so it may be sent again. `unclear`:
 * the run may have received it.
 */
export type MessageOutcome =
  | { outcome: 'sent' }
  | { outcome: 'not taken' }
  | { outcome: 'undone' | 'unclear'; error: RunsApiError };

/** What a service answers for runs that take no messages. */
const notTaken: ReadonlySet<string> = new Set([
  'not_found',
  'bad_request',
  'conflict',
  'unprocessable',
  'client_error',
  'forbidden',
]);
/** The service did nothing. */
const undone: ReadonlySet<string> = new Set(['rate_limited', 'unauthorized']);

/** Sends words to an active run. A service that honors the key gets them once, however often they're sent. */
export async function sendMessage(
  runs: Pick<Connected['runs'], 'followUp'>,
  runId: string,
  { text, idempotencyKey }: { text: string; idempotencyKey: string },
): Promise<MessageOutcome> {
  try {
    await runs.followUp(runId, text, { timeoutMs: 5_000, maxRetries: 0, idempotencyKey });
    return { outcome: 'sent' };
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (notTaken.has(error.code)) return { outcome: 'not taken' };
    return { outcome: !error.sent || undone.has(error.code) ? 'undone' : 'unclear', error };
  }
}
