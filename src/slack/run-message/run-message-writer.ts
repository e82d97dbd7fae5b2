import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { LRUCache } from 'lru-cache';
import type { PostOutcome, UpdateOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Mark, MessagePlace } from '../posting/marked-messages.ts';
import { postMessage } from '../posting/post-message.ts';
import { readWriteFailure, type SlackBudget } from '../posting/slack-budget.ts';
import { outcomeOf } from '../posting/slack-failure.ts';
import { runMessageEvent } from '../runs/reading/run-of-message.ts';
import { hasNewBlock, plainRunMessage, shortRunMessage, withRichText } from './fallback-message.ts';
import type { RunMessage } from './render-run-message.ts';

export const messageMark = ({ id }: RunRequest): Mark => ({
  event_type: runMessageEvent,
  event_payload: { request_id: id },
});

/** Returns the metadata that marks a notice. Contains the post ID, because a request can have several notices. */
export const noticeMark = ({ id }: RunRequest, postId: string): Mark => ({
  event_type: 'slash_agent_run_end',
  event_payload: { request_id: id, notice: postId },
});

export type RunMessageWriter = ReturnType<typeof createRunMessageWriter>;

/** Time to avoid new block types after Slack rejected them, in ms. Slack enables them in more workspaces over time. */
const rejectedForMs = 60 * 60_000;

/**
 * Creates the writer of run messages. If Slack rejects a message's blocks, retries with a plain message. If the message
 * is too long, retries with a short one.
 */
export function createRunMessageWriter(deps: { client: WebClient; budget: SlackBudget }) {
  const { client, budget } = deps;
  /** Time until which messages are written without new block types, in epoch ms. */
  let plainUntil = 0;
  /** Timestamps (`ts`) of messages that contain rich text. Slack rejects an update of them without rich text. */
  const richTextKept = new LRUCache<string, true>(entryLimit(10_000));

  return {
    post: (request: RunRequest, channelId: string, message: RunMessage): Promise<PostOutcome> =>
      writeFitting('post', message, (fitting) =>
        postMessage({ client, budget }, placeIn(channelId, request), messageMark(request), fitting),
      ),

    /**
     * Updates a message. Slack may have turned an earlier answer into rich text. It then rejects an update without rich
     * text, so the update is sent again with some.
     */
    async update(place: PostPlace, message: RunMessage): Promise<UpdateOutcome> {
      const write = (each: RunMessage) =>
        writeFitting('update', each, (fit) => updateOnce(place, fit));
      const isKept = richTextKept.has(place.ts) && !hasMarkdown(message);
      let last = await write(isKept ? withRichText(message) : message);
      if (!isKept && last.outcome === 'rejected' && last.reason === 'block_mismatch') {
        last = await write(withRichText(message));
        if (isWritten(last)) richTextKept.set(place.ts, true);
      }
      return last.outcome === 'rejected' ? readRejection(last.reason) : last;
    },
  };

  async function writeFitting<Outcome extends { outcome: string; reason?: string }>(
    kind: 'post' | 'update',
    message: RunMessage,
    write: (message: RunMessage) => Promise<Outcome>,
  ): Promise<Outcome> {
    const isPlain = !hasNewBlock(message) || plainUntil > Date.now();
    let last = await write(isPlain ? plainRunMessage(message) : message);
    if (!isPlain && last.outcome === 'rejected' && last.reason?.startsWith('invalid_blocks')) {
      last = await write(plainRunMessage(message));
      if (isWritten(last)) plainUntil = Date.now() + rejectedForMs;
    }
    const isTooLong =
      last.outcome === 'rejected' && outcomeOf(kind, last.reason ?? '') === 'shorter';
    return isTooLong ? await write(shortRunMessage(message)) : last;
  }

  async function updateOnce({ channelId, ts }: PostPlace, message: RunMessage) {
    try {
      await client.chat.update({ channel: channelId, ts, ...message });
      return { outcome: 'shown' } as const;
    } catch (error) {
      return readWriteFailure(budget, { kind: 'update', channelId }, error);
    }
  }
}

/** Returns the channel for a message. Includes the request's thread if the thread is in the same channel. */
export function placeIn(channel: string, { channelId, origin }: RunRequest): MessagePlace {
  const threadTs = channel === channelId ? origin?.threadTs : undefined;
  return { channel, ...(threadTs && { thread_ts: threadTs }) };
}

const hasMarkdown = ({ blocks }: RunMessage) => blocks.some(({ type }) => type === 'markdown');

const isWritten = ({ outcome }: { outcome: string }) => outcome === 'posted' || outcome === 'shown';

function readRejection(reason: string): UpdateOutcome {
  switch (outcomeOf('update', reason)) {
    case 'repost':
      return { outcome: 'gone', reason, repost: 'here' };
    case 'direct':
      return { outcome: 'gone', reason, repost: 'direct' };
    case 'stop':
      return { outcome: 'gone', reason, repost: null };
    case 'shorter':
      return { outcome: 'rejected', reason };
  }
}
