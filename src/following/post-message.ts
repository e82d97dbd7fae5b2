import type { DueAt, FollowingParts, Tracked } from './advance.ts';
import { retryDelayMs } from './progress.ts';
import type { PostOutcome } from './run-messages.ts';
import { fingerprint } from './show-request.ts';

/** Gives the request its run message, exactly one: after an interrupted try it is looked for before posting again. */
export async function postMessage(
  { messages, logger }: FollowingParts,
  { request, record, check }: Tracked,
): Promise<DueAt> {
  const { channelId } = request;
  const waitMs = messages.room({ kind: 'post', channelId, isUrgent: true });
  if (waitMs > 0) return Date.now() + waitMs;
  const message = messages.render({ ...request, step: 'posted' });
  const outcome = request.postBeganAt === null ? await firstPost() : await lookThenPost();
  switch (outcome.outcome) {
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
      await record({ failures });
      return Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
    }
  }

  async function firstPost(): Promise<PostOutcome> {
    await record({ postBeganAt: Date.now() });
    return messages.post(request, message);
  }

  async function lookThenPost(): Promise<PostOutcome> {
    const found = await messages.find(request);
    if (found.outcome !== 'absent') return found;
    await check();
    return messages.post(request, message);
  }
}
