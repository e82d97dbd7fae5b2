import type { WebClient } from '@slack/web-api';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { OutboxRow, Post, PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  ifReadable,
  type MessagePlace,
} from '../posting/marked-messages.ts';
import { beingReplaced, openDirectMessage, postMessage } from '../posting/post-message.ts';
import type { SlackBudget } from '../posting/slack-budget.ts';
import type { SlackClock } from '../posting/slack-clock.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { threadOf } from '../runs/run-ref.ts';
import type { QuestionMessage } from './render-question.ts';

export type QuestionPlaceParts = { client: WebClient; clock: SlackClock; budget: SlackBudget };

type Placed = { post: Post; request: RunRequest; message: OutboxRow | undefined };

/** A question is in the thread of its run or, if the app can't post there, in the creator's direct messages. */
export function createQuestionPlaces(
  parts: QuestionPlaceParts,
  { post, request, message }: Placed,
) {
  const { client, clock } = parts;
  const mark = { event_type: 'slash_agent_question', event_payload: { post: post.id } };
  const inThread = (found: PostPlace | null | undefined): MessagePlace[] => {
    const thread = threadOf(request, found);
    return thread ? [{ channel: thread.channelId, thread_ts: thread.ts }] : [];
  };
  const direct = async (): Promise<MessagePlace> => ({
    channel: await openDirectMessage(client, request.creatorId),
  });

  /** An earlier try may have posted it in the thread, where the app can't look. */
  let isLost = false;
  const lose = () => {
    isLost = true;
  };

  async function send(shown: QuestionMessage): Promise<PostOutcome> {
    if (message?.state === 'waiting') return beingReplaced;
    for (const place of isLost ? [] : inThread(message?.place)) {
      const outcome = await postMessage(parts, place, mark, shown);
      if (outcome.outcome !== 'refused') return outcome;
    }
    return postMessage(parts, await direct(), mark, shown);
  }

  /** Without the card that this one replaces. */
  async function* copies(threads: readonly MessagePlace[]): Found {
    const sinceMs = clock.fromOwnMs(post.createdAt);
    for (const place of [...threads, await direct()])
      for await (const found of ifReadable(findMarked(client, place, mark, sinceMs), lose))
        if (found.ts !== post.replaced?.ts) yield found;
  }

  return {
    post: (shown: QuestionMessage) => send(shown).catch(readSlackFailure),
    find: () => findFirst(copies(inThread(message?.place))),
    findCopies: () =>
      findAll(copies([...inThread(message?.place), ...inThread(message?.replaced)])),
  };
}
