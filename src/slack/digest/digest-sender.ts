import type { WebClient } from '@slack/web-api';
import { postOnce } from '../../following/post-once.ts';
import type { FindOutcome, PostOutcome } from '../../following/run-messages.ts';
import { nextAtHour } from '../../lib/local-time.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import { retryDelayMs } from '../../lib/retry-delay.ts';
import type { Digests, DueDigest } from '../../store/outbox/digests.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { ReadNames } from '../people/people.ts';
import { findMarkedMessages } from '../posting/marked-messages.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { type DigestMessage, renderDigest } from './digest-message.ts';

type DigestParts = {
  client: WebClient;
  clock: SlackClock;
  digests: Digests;
  list: Pick<RequestList, 'inChannel'>;
  readNames: ReadNames;
  logger: Logger;
};

/** A digest may be a little late. */
const idleMs = 5_000;
/** Longer than it takes to make and post a digest. */
const leaseMs = 60_000;
const dayMs = 24 * 60 * 60_000;
/** Runs read for a digest. Its lists are much shorter. */
const mostRequests = 500;
const digestEvent = 'slash_agent_digest';

/** Posts due digests, each exactly once across replicas and crashes. */
export function createDigestSender(parts: DigestParts): Loop {
  return new Loop(async () => {
    try {
      const digest = await parts.digests.claim(leaseMs);
      if (!digest) return idleMs;
      await send(parts, digest, Date.now());
      return 0;
    } catch (error) {
      parts.logger.error({ err: error }, 'failed to make a digest, trying again');
      return idleMs;
    }
  });
}

async function send(parts: DigestParts, digest: DueDigest, now: number): Promise<void> {
  const { digests, list, readNames, logger } = parts;
  // Ends at the due time, so a retry has the same content. After an outage, one digest covers everything.
  const until = now - digest.nextAt < dayMs ? digest.nextAt : now;
  const finish = () => {
    const nextAt = nextAtHour(now, digest.hour, digest.timeZone);
    return digests.finish(digest, { sinceAt: until, nextAt });
  };
  const period = { from: digest.sinceAt, until, limit: mostRequests };
  const requests = await list.inChannel(digest, period);
  const names = await readNames([...new Set(requests.map(({ creatorId }) => creatorId))]);
  const message = renderDigest(requests, names);
  if (!message) {
    await finish();
    return;
  }
  const outcome = await postOnce({
    beganAt: digest.beganAt,
    nowMs: parts.clock.nowMs,
    post: () => post(parts, digest, message),
    find: () => find(parts, digest),
    async begin(at) {
      const isOurs = await digests.begin(digest, at);
      // After a long pause another process may have posted it.
      if (!isOurs || Date.now() - now > leaseMs / 2)
        throw new Error('the lease of the digest expired');
    },
  });
  const { channelId } = digest;
  switch (outcome.outcome) {
    case 'posted':
      await finish();
      return;
    case 'unsettled':
      await digests.putOff(digest, outcome.lookAgainAt);
      return;
    case 'refused':
      logger.warn(
        { channelId, reason: outcome.reason },
        'Slack refused the digest, skipping it until tomorrow',
      );
      await finish();
      return;
    case 'later': {
      logger.warn(
        { channelId, reason: outcome.reason },
        'Slack is unavailable, posting the digest later',
      );
      const waitUntil = Date.now() + Math.max(idleMs, retryDelayMs(1, outcome.retryAfterMs));
      if (outcome.isUndone) await digests.takeBack(digest, waitUntil);
      else await digests.putOff(digest, waitUntil);
    }
  }
}

async function post(
  { client }: DigestParts,
  { channelId, nextAt }: DueDigest,
  message: DigestMessage,
): Promise<PostOutcome> {
  try {
    const posted = await client.chat.postMessage({
      channel: channelId,
      ...message,
      metadata: { event_type: digestEvent, event_payload: { due_at: String(nextAt) } },
      unfurl_links: false,
      unfurl_media: false,
    });
    return { outcome: 'posted', place: { channelId, ts: posted.ts ?? '' } };
  } catch (error) {
    return readSlackFailure(error);
  }
}

async function find(
  { client, clock }: DigestParts,
  { channelId, nextAt }: DueDigest,
): Promise<FindOutcome> {
  try {
    const marked = findMarkedMessages({
      client,
      eventType: digestEvent,
      isIt: (payload) => payload['due_at'] === String(nextAt),
      channelId,
      sinceMs: clock.fromOwnMs(nextAt),
    });
    const place = (await marked.next()).value;
    return place ? { outcome: 'posted', place } : { outcome: 'absent' };
  } catch (error) {
    return readSlackFailure(error);
  }
}
