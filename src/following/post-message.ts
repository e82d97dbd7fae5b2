import { LeaseLost } from '../store/request-leases.ts';
import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { postSettledMs, retryDelayMs } from './progress.ts';
import type { PostOutcome } from './run-messages.ts';
import { fingerprint } from './show-request.ts';

/** Gives the request its run message, exactly one: after an interrupted try it is looked for before posting again. */
export async function postMessage(
  { messages, requests, logger }: FollowingParts,
  { request, record }: Tracked,
): Promise<DueAt> {
  const { channelId } = request;
  const waitMs = messages.room({ kind: 'post', channelId, isUrgent: true });
  if (waitMs > 0) return Date.now() + waitMs;
  const message = messages.render({ ...request, step: 'posted' });
  const outcome = request.postBeganAt === null ? await beginPost() : await lookThenPost();
  try {
    return await keep(outcome);
  } catch (error) {
    if (error instanceof LeaseLost) await leaveOne();
    throw error;
  }

  async function keep(outcome: PostOutcome | Unsettled): Promise<DueAt> {
    switch (outcome.outcome) {
      case 'unsettled':
        return outcome.lookAgainAt;
      case 'posted':
        await record({
          step: 'posted',
          messageChannelId: outcome.place.channelId,
          messageTs: outcome.place.ts,
          failures: 0,
          shown: fingerprint(message),
        });
        return null;
      case 'refused':
        logger.error(
          { requestId: request.id, reason: outcome.reason },
          'no place for the run message',
        );
        await record({
          step: 'ended',
          endedAt: Date.now(),
          problem: { code: 'cannot_post', message: outcome.reason, since: Date.now() },
        });
        return null;
      case 'later': {
        const failures = request.failures + 1;
        logger.warn({ requestId: request.id, reason: outcome.reason }, 'run message waits');
        await record({ failures, ...(outcome.isUndone && { postBeganAt: null }) });
        return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
      }
    }
  }

  /** This process was frozen in the middle of its post, and another may have posted meanwhile. */
  async function leaveOne(): Promise<void> {
    const now = await requests.find(request.id);
    // Without a message the other is still going to look for ours.
    if (!now?.messageChannelId || !now.messageTs) return;
    await messages.removeOther(now, { channelId: now.messageChannelId, ts: now.messageTs });
  }

  async function beginPost(): Promise<PostOutcome> {
    await record({ postBeganAt: Date.now() });
    return messages.post(request, message);
  }

  /** A post that is still on its way is seen by nobody: only after a while "absent" is believed. */
  async function lookThenPost(): Promise<PostOutcome | Unsettled> {
    const found = await messages.find(request);
    if (found.outcome === 'later') return { ...found, isUndone: undefined };
    if (found.outcome !== 'absent') return found;
    const lookAgainAt = (request.postBeganAt ?? 0) + postSettledMs;
    return Date.now() < lookAgainAt ? { outcome: 'unsettled', lookAgainAt } : beginPost();
  }
}

type Unsettled = { outcome: 'unsettled'; lookAgainAt: number };
