import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { PostKind } from '../../outbox/post-kind.ts';
import type { DueDigest } from '../../store/outbox/digests.ts';
import type { NewPost, Post } from '../../store/outbox/outbox-row.ts';
import type { RequestList } from '../../store/requests/request-list.ts';
import type { RunFeedback } from '../../store/requests/run-feedback.ts';
import type { Spending } from '../../store/requests/spending.ts';
import type { ReadNames } from '../people/people.ts';
import { findAll, findFirst, findMarked } from '../posting/marked-messages.ts';
import { postMessage } from '../posting/post-message.ts';
import type { SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { type DigestMessage, renderDigest } from './digest-message.ts';

type DigestDeps = {
  client: WebClient;
  clock: SlackClock;
  budget: SlackBudget;
  list: Pick<RequestList, 'inChannel'>;
  feedback: Pick<RunFeedback, 'ofRuns'>;
  spending: Pick<Spending, 'sum'>;
  readNames: ReadNames;
};

const contentSchema = z.object({ channelId: z.string(), from: z.number(), until: z.number() });
type Content = z.infer<typeof contentSchema>;

/** Max runs to count in a digest. The digest lists far fewer. */
const maxRequests = 500;
const weekMs = 7 * 24 * 60 * 60_000;

export const newDigest = (
  { id, teamId, channelId, sinceAt, nextAt }: DueDigest,
  until: number,
): NewPost => ({
  id: `digest ${id} ${nextAt}`,
  kind: 'digest',
  teamId,
  requestId: null,
  dueAt: Date.now(),
  content: { channelId, from: sinceAt, until } satisfies Content,
});

/** Creates the posts that sum up a channel's runs. Nothing is posted if there are no runs. */
export function createDigestKind(deps: DigestDeps): PostKind {
  return {
    async open(post) {
      const content = contentSchema.parse(post.content);
      const message = await readMessage(deps, post, content);
      if (!message) return undefined;
      const place = { channel: content.channelId };
      const mark = { event_type: 'slash_agent_digest', event_payload: { post: post.id } };
      const copies = () =>
        findMarked(deps.client, place, mark, deps.clock.fromOwnMs(post.createdAt));
      return {
        instead: [],
        post: () => postMessage(deps, place, mark, message),
        find: () => findFirst(copies()),
        findCopies: () => findAll(copies()),
      };
    },
  };
}

async function readMessage(
  { list, feedback, spending, readNames }: DigestDeps,
  { teamId }: Post,
  { channelId, from, until }: Content,
): Promise<DigestMessage | undefined> {
  const period = { from, until, limit: maxRequests };
  const requests = await list.inChannel({ teamId, channelId }, period);
  const names = await readNames([...new Set(requests.map(({ creatorId }) => creatorId))]);
  const ratings = await feedback.ofRuns(requests.map(({ id }) => id));
  const spentIn = (since: number, end: number) =>
    spending.sum(teamId, { channelId }, { since, until: end });
  const [week, before] = await Promise.all([
    spentIn(until - weekMs, until),
    spentIn(until - 2 * weekMs, until - weekMs),
  ]);
  return renderDigest(requests, names, ratings, { week, before });
}
