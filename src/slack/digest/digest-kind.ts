import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { CopiesOutcome, FindOutcome, PostOutcome } from '../../outbox/outcomes.ts';
import type { PostKind } from '../../outbox/post-kind.ts';
import type { DueDigest } from '../../store/outbox/digests.ts';
import type { NewPost, Post } from '../../store/outbox/outbox-row.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { ReadNames } from '../people/people.ts';
import { collect, findMarkedMessages, hasMark } from '../posting/marked-messages.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { type DigestMessage, renderDigest } from './digest-message.ts';

type DigestParts = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  list: Pick<RequestList, 'inChannel'>;
  feedback: Pick<RunFeedback, 'ofRuns'>;
  readNames: ReadNames;
};

const contentSchema = z.object({ channelId: z.string(), from: z.number(), until: z.number() });
type Content = z.infer<typeof contentSchema>;

/** Runs read for a digest. Its lists are much shorter. */
const mostRequests = 500;
const digestEvent = 'slash_agent_digest';

export const newDigest = (
  { id, teamId, channelId, sinceAt, nextAt }: DueDigest,
  until: number,
): NewPost => ({
  id: `digest ${id} ${nextAt}`,
  ...{ kind: 'digest', teamId, requestId: null, dueAt: Date.now() },
  content: { channelId, from: sinceAt, until } satisfies Content,
});

/** What happened in a channel; nothing is posted when nothing did. */
export function createDigestKind(parts: DigestParts): PostKind {
  return {
    async open(post) {
      const content = contentSchema.parse(post.content);
      const message = await readMessage(parts, post, content);
      if (!message) return undefined;
      const copies = () => eachCopy(parts, post, content);
      return {
        instead: [],
        post: () => send(parts, post, content, message),

        async find(): Promise<FindOutcome> {
          try {
            const place = (await copies().next()).value;
            return place ? { outcome: 'posted', place } : { outcome: 'absent' };
          } catch (error) {
            return readSlackFailure(error);
          }
        },

        async findCopies(): Promise<CopiesOutcome> {
          try {
            return { outcome: 'found', places: await collect(copies()) };
          } catch (error) {
            return readSlackFailure(error);
          }
        },
      };
    },
  };
}

async function readMessage(
  { list, feedback, readNames }: DigestParts,
  { teamId }: Post,
  { channelId, from, until }: Content,
): Promise<DigestMessage | undefined> {
  const period = { from, until, limit: mostRequests };
  const requests = await list.inChannel({ teamId, channelId }, period);
  const names = await readNames([...new Set(requests.map(({ creatorId }) => creatorId))]);
  const ratings = await feedback.ofRuns(requests.map(({ id }) => id));
  return renderDigest(requests, names, ratings);
}

async function send(
  { client, budget }: DigestParts,
  { id }: Post,
  { channelId }: Content,
  message: DigestMessage,
): Promise<PostOutcome> {
  try {
    const posted = await client.chat.postMessage({
      channel: channelId,
      ...message,
      metadata: { event_type: digestEvent, event_payload: { post: id } },
      unfurl_links: false,
      unfurl_media: false,
    });
    return { outcome: 'posted', place: { channelId, ts: posted.ts ?? '' } };
  } catch (error) {
    return readWriteFailure(budget, { kind: 'post', channelId }, error);
  }
}

const eachCopy = (
  { client, clock }: DigestParts,
  { id, createdAt }: Post,
  { channelId }: Content,
) =>
  findMarkedMessages({
    ...{ client, channelId },
    isIt: hasMark(digestEvent, (payload) => payload['post'] === id),
    sinceMs: clock.fromOwnMs(createdAt),
  });
