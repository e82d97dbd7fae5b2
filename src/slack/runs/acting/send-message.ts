import { RunsApiError } from 'runs-client/runs-api-error';
import type { Audit } from '../../../store/audit/audit.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Connect } from '../reading/connect.ts';

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

export type SendParts = { connect: Connect; audit: Pick<Audit, 'note'> };

/** Who wrote it, and where. */
type Message = { text: string; idempotencyKey: string; userId: string; channelId: string };

/** Sends words to an active run. A service that honors the key gets them once, however often they're sent. */
export async function sendMessage(
  { connect, audit }: SendParts,
  { id, teamId, connectionId }: RunRequest,
  runId: string,
  { text, idempotencyKey, userId, channelId }: Message,
): Promise<MessageOutcome> {
  try {
    const options = { timeoutMs: 5_000, maxRetries: 0, idempotencyKey };
    const { runs } = await connect(connectionId);
    await runs.followUp(runId, text, options);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (notTaken.has(error.code)) return { outcome: 'not taken' };
    return { outcome: !error.sent || undone.has(error.code) ? 'undone' : 'unclear', error };
  }
  await audit.note({
    id: `follow-up ${idempotencyKey}`,
    teamId,
    actorId: userId,
    action: 'run_followed_up',
    channelId,
    entity: { type: 'run', id },
  });
  return { outcome: 'sent' };
}
