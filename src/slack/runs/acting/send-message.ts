import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import type { Promised, RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { Authority } from '../../../requests/authority.ts';
import type { Audit } from '../../../store/audit/audit.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { ReadNames } from '../../people/people.ts';

/**
 * Outcome of a message to a run. `not taken` means that the run accepts no messages. `undone` means that nothing was
 * sent, so sending can be repeated. `unclear` means that the run may have received the message.
 */
export type MessageOutcome =
  | { outcome: 'sent' }
  | { outcome: 'not taken' }
  | { outcome: 'undone' | 'unclear'; error: RunsApiError };

/** Error codes for runs that accept no messages. */
const notTaken: ReadonlySet<string> = new Set([
  'not_found',
  'bad_request',
  'conflict',
  'unprocessable',
  'client_error',
  'budget_exceeded',
  'forbidden',
]);
/** Error codes that mean that the service didn't process the message. */
const undone: ReadonlySet<string> = new Set(['rate_limited', 'unauthorized']);

export type SendDeps = {
  connect(connectionId: string): Promise<{
    runs: Pick<Promised<RunsClient['runs']>, 'followUp'>;
  }>;
  audit: Pick<Audit, 'note'>;
  readNames: ReadNames;
};

/** Sends a message to an active run. The idempotency key keeps a service from receiving it twice. */
export async function sendMessage(
  { connect, audit, readNames }: SendDeps,
  request: RunRequest,
  runId: string,
  { text, idempotencyKey, channelId }: { text: string; idempotencyKey: string; channelId: string },
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

/** Returns the message with its author's name, so that the agent doesn't attribute it to the run's creator. */
async function markedText(readNames: ReadNames, userId: string, text: string): Promise<string> {
  const name = (await readNames([userId])).get(userId) ?? userId;
  const shown = shorten(readableLine(name), 80);
  return `Message from ${shown} (${userId}), who didn't start this run:\n\n${text}`;
}
