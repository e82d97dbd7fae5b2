import type { WebClient } from '@slack/web-api';
import type { CopiesOutcome, FindOutcome, PostOutcome } from '../../outbox/outcomes.ts';
import type { OutboxRow, Post, PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import { collect, findMarkedMessages, hasMark } from '../posting/marked-messages.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { threadOf } from '../runs/run-thread.ts';
import type { QuestionMessage } from './render-question.ts';

export type QuestionPlaceParts = { client: WebClient; clock: SlackClock; budget: SlackBudget };

type Placed = { post: Post; request: RunRequest; message: OutboxRow | undefined };
type Place = { channel: string; thread_ts?: string };

const eventType = 'slash_agent_question';

/** A question is in the thread of its run or, if the app can't post there, in the creator's direct messages. */
export function createQuestionPlaces(
  { client, clock, budget }: QuestionPlaceParts,
  { post, request, message }: Placed,
) {
  const inThread = (found: PostPlace | null | undefined): Place[] => {
    const thread = threadOf(request, found);
    return thread ? [{ channel: thread.channelId, thread_ts: thread.ts }] : [];
  };
  const direct = async (): Promise<Place> => ({
    channel: await openDirectMessage(client, request.creatorId),
  });

  async function write(place: Place, shown: QuestionMessage): Promise<PostOutcome> {
    try {
      const posted = await client.chat.postMessage({
        ...place,
        ...shown,
        metadata: { event_type: eventType, event_payload: { post: post.id } },
        unfurl_links: false,
        unfurl_media: false,
      });
      return { outcome: 'posted', place: { channelId: place.channel, ts: posted.ts ?? '' } };
    } catch (error) {
      return readWriteFailure(budget, { kind: 'post', channelId: place.channel }, error);
    }
  }

  async function copies(): Promise<PostPlace[]> {
    const places = [...inThread(message?.place), ...inThread(message?.replaced), await direct()];
    const found = await Promise.all(
      places.map(({ channel: channelId, thread_ts: threadTs }) =>
        collect(
          findMarkedMessages({
            ...{ client, channelId, threadTs, sinceMs: clock.fromOwnMs(post.createdAt) },
            isIt: hasMark(eventType, (payload) => payload['post'] === post.id),
          }),
        ),
      ),
    );
    return found.flat();
  }

  return {
    async post(shown: QuestionMessage): Promise<PostOutcome> {
      if (message?.state === 'waiting') return beingReplaced;
      try {
        for (const place of inThread(message?.place)) {
          const outcome = await write(place, shown);
          if (outcome.outcome !== 'refused') return outcome;
        }
        return await write(await direct(), shown);
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async find(): Promise<FindOutcome> {
      try {
        const [place] = await copies();
        return place ? { outcome: 'posted', place } : { outcome: 'absent' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async findCopies(): Promise<CopiesOutcome> {
      try {
        return { outcome: 'found', places: await copies() };
      } catch (error) {
        return readSlackFailure(error);
      }
    },
  };
}

const beingReplaced = {
  outcome: 'later',
  reason: 'the run message is being replaced',
  retryAfterMs: 0,
  isUndone: true,
  isQuiet: true,
} as const;
