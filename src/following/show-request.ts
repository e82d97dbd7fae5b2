import { createHash } from 'node:crypto';
import { LeaseLost } from '../store/request-leases.ts';
import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { retryDelayMs } from './progress.ts';
import type { UpdateOutcome } from './run-messages.ts';

/** Changes the run message if it would show something else than it does. Unchanged messages cost nothing. */
export async function showRequest(
  { messages, leases, logger }: FollowingParts,
  { request, record, check }: Tracked,
): Promise<DueAt> {
  if (request.messageChannelId === null || request.messageTs === null) return null;
  const place = { channelId: request.messageChannelId, ts: request.messageTs };
  const message = messages.render(request);
  const shown = fingerprint(message);
  if (shown === request.shown) return null;
  const { channelId } = place;
  const isUrgent = request.step === 'ended';
  const waitMs = messages.room({ kind: 'update', channelId, isUrgent });
  if (waitMs > 0) return Date.now() + waitMs;
  // Until the answer is there nobody knows what it shows: a crash, or a lost answer, must not leave it at that.
  await record({ shown: null });
  const outcome = await messages.update(place, message);
  try {
    return await keep(outcome);
  } catch (error) {
    // This process was frozen in the middle of its update: it may have put something old over what is shown now.
    if (error instanceof LeaseLost) await leases.showAgain(request.id);
    throw error;
  }

  async function keep(outcome: UpdateOutcome): Promise<DueAt> {
    switch (outcome.outcome) {
      case 'shown':
        await record({ shown });
        return null;
      case 'gone':
        // Somebody removed the message: the run goes on, and Home still lists it.
        logger.warn({ requestId: request.id, reason: outcome.reason }, 'run message is gone');
        await record({ messageTs: null });
        return null;
      case 'refused':
        // Our own fault, or a rule of the workspace: asking again with the same content cannot help.
        logger.error(
          { requestId: request.id, reason: outcome.reason },
          'run message update refused',
        );
        await record({ shown });
        return null;
      case 'later':
        logger.warn(
          { requestId: request.id, reason: outcome.reason },
          'run message not updated yet',
        );
        await check();
        return Date.now() + retryDelayMs(1, outcome.retryAfterMs);
    }
  }
}

/** Equal for equal messages; short, since it is kept with every request. */
export function fingerprint(message: object): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url').slice(0, 22);
}
