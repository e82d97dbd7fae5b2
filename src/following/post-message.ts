import { fingerprint } from '../lib/fingerprint.ts';
import type { DueAt } from '../lib/leased-work.ts';
import { retryDelayMs } from '../lib/retry-delay.ts';
import { suspectDuplicateAt } from './duplicates.ts';
import { logWaiting } from './log-waiting.ts';
import type { FollowingParts } from './parts.ts';
import { postOnce } from './post-once.ts';
import type { Tracked } from './track.ts';

/**
 * Posts the run message, exactly one: after an interrupted try, looks for it before posting again. Also posts another one
 * when the first can't be changed any more. A run doesn't wait for a message that Slack's limits delay. If Slack refuses
 * the message, nothing is started.
 * @returns when to try again
 */
export async function postMessage(
  { messages, logger }: Pick<FollowingParts, 'messages' | 'logger'>,
  tracked: Tracked,
): Promise<DueAt> {
  const { request, record, begin } = tracked;
  const isFirst = request.step === 'accepted' || request.pendingPost === 'first';
  const channelId = request.messageChannelId ?? request.channelId;
  const { id: requestId } = request;
  const waitMs = messages.room({ kind: 'post', channelId, requestId, isUrgent: true });
  if (waitMs > 0) return postponeTo(Date.now() + waitMs);
  const message = messages.render(
    request.step === 'accepted' ? { ...request, step: 'posted' } : request,
  );
  const beganBefore = request.postBeganAt;
  let shown = fingerprint(message);
  const outcome = await postOnce({
    beganAt: beganBefore,
    nowMs: messages.nowMs,
    begin: (postBeganAt) =>
      begin({ postBeganAt, ...(beganBefore !== null && suspectDuplicateAt(Date.now())) }),
    post: () => messages.post(request, message),
    async find() {
      const found = await messages.find(request);
      // That message shows an earlier state.
      if (found.outcome === 'posted') shown = 'an earlier state';
      return found;
    },
  });
  switch (outcome.outcome) {
    case 'unsettled':
      return postponeTo(outcome.lookAgainAt);
    case 'posted':
      await record({
        ...(request.step === 'accepted' && { step: 'posted' }),
        ...(request.pendingPost !== null && { pendingPost: null }),
        ...(!isFirst && suspectDuplicateAt(Date.now())),
        messageChannelId: outcome.place.channelId,
        messageTs: outcome.place.ts,
        failures: 0,
        shown,
      });
      return null;
    case 'refused':
      logger.error({ requestId, reason: outcome.reason }, 'no place to post the run message');
      await record(
        mayHaveRun(request) ? { pendingPost: null } : cannotPost(outcome.reason, Date.now()),
      );
      return null;
    case 'later': {
      const failures = request.failures + 1;
      logWaiting(logger, outcome, { requestId }, 'run message waits');
      // Only this try certainly posted nothing. An earlier one may still arrive.
      await record({ failures, ...(outcome.isUndone && { postBeganAt: beganBefore }) });
      const retryAt = Date.now() + retryDelayMs(failures, outcome.retryAfterMs);
      const isBusy = outcome.isUndone && !outcome.isQuiet;
      return isBusy ? postponeTo(retryAt) : retryAt;
    }
  }

  /** Lets the run start before its message is posted. */
  function postponeTo(dueAt: number): number {
    if (request.step === 'accepted') tracked.note({ step: 'posted', pendingPost: 'first' });
    return dueAt;
  }
}

const mayHaveRun = ({ step, createBeganAt }: Tracked['request']) =>
  step !== 'accepted' && !(step === 'posted' && createBeganAt === null);

const cannotPost = (reason: string, now: number) => ({
  ...{ step: 'ended' as const, pendingPost: null, endedAt: now },
  problem: { code: 'cannot_post', message: reason, since: now },
});
