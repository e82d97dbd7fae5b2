import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Authority } from '../../../requests/authority.ts';
import type { Audit } from '../../../store/audit/audit.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Connect } from '../../configuration/connect.ts';
import type { ReadNames } from '../../people/people.ts';

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

export type SendParts = { connect: Connect; audit: Pick<Audit, 'note'>; readNames: ReadNames };

type Message = { text: string; idempotencyKey: string; channelId: string };

/** Sends words to an active run. A service that honors the key gets them once, however often they're sent. */
export async function sendMessage(
  { connect, audit, readNames }: SendParts,
  request: RunRequest,
  runId: string,
  { text, idempotencyKey, channelId }: Message,
  { actorId, keysOf }: Authority,
): Promise<MessageOutcome> {
  const { id, teamId, connectionId, creatorId } = request;
  const message = actorId === creatorId ? text : await markedText(readNames, actorId, text);
  try {
    const options = { timeoutMs: 5_000, maxRetries: 0, idempotencyKey };
    const { runs } = await connect(connectionId);
    await runs.followUp(runId, message, options);
  } catch (error) {
    if (!(error instanceof RunsApiError)) throw error;
    if (notTaken.has(error.code)) return { outcome: 'not taken' };
    return { outcome: !error.sent || undone.has(error.code) ? 'undone' : 'unclear', error };
  }
  await audit.note({
    id: `follow-up ${idempotencyKey}`,
    teamId,
    actorId,
    action: 'run_followed_up',
    channelId,
    entity: { type: 'run', id },
    ...(keysOf && keysOf !== actorId && { details: { keys_of: keysOf } }),
  });
  return { outcome: 'sent' };
}

/** The agent must not take someone else's words for its creator's. */
async function markedText(readNames: ReadNames, userId: string, text: string): Promise<string> {
  const name = (await readNames([userId])).get(userId) ?? userId;
  const shown = shorten(readableLine(name), 80);
  return `Message from ${shown} (${userId}), who didn't start this run:\n\n${text}`;
}
