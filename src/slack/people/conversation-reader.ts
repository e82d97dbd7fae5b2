import type { WebClient } from '@slack/web-api';
import { atMost } from 'base/at-most';
import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import { retryDelayMs } from 'base/time/retry-delay';
import { LRUCache } from 'lru-cache';
import type {
  ConversationFacts,
  ConversationPlace,
  Conversations,
  DueConversation,
} from '../../store/people/conversations.ts';
import { readSlackFailure, type SlackFailure } from '../posting/slack-failure.ts';

type Client = Pick<WebClient, 'conversations'>;

type ReaderParts = {
  conversations: Pick<Conversations, 'note' | 'noteAll' | 'takeDue' | 'putOff' | 'write'>;
  clientOf(teamId: string): Client;
  logger: Logger;
};

const minuteMs = 60_000;
/** Slack reports who joins and leaves, but only in passing that a channel became private; see `private-conversation.ts`. */
const againInMs = { public: 15 * minuteMs, private: 4 * 60 * minuteMs };
/** Another replica takes over what one that was killed was reading. */
const heldMs = minuteMs;
const idleMs = 5_000;
/** Between two conversations that are read again: 20 a minute. Slack allows 50, and starting runs needs some. */
const paceMs = 3_000;
const pageSize = 1_000;

export type ConversationReader = ReturnType<typeof createConversationReader>;

/** Reads who may see the runs of a conversation: soon after its first run, and again later. */
export function createConversationReader({ conversations, clientOf, logger }: ReaderParts) {
  /** Stored conversations stay stored, so each needs one write and not one per run. */
  const noted = new LRUCache<string, true>(atMost(10_000));
  let isComplete = false;
  let failures = 0;
  const loop = new Loop(async () => {
    try {
      if (!isComplete) await conversations.noteAll();
      isComplete = true;
      const due = await conversations.takeDue(heldMs);
      return due ? await readAndWrite(due) : idleMs;
    } catch (error) {
      failures += 1;
      logger.error({ err: error }, "couldn't store who is in a conversation, trying again");
      return retryDelayMs(failures);
    }
  });

  async function readAndWrite(due: DueConversation): Promise<number> {
    const facts = await read(due);
    if ('reason' in facts) {
      failures += 1;
      const waitMs = retryDelayMs(failures, facts.retryAfterMs);
      logger.warn(facts, "Slack didn't say who is in a conversation, asking again");
      await conversations.putOff(due, waitMs);
      return waitMs;
    }
    failures = 0;
    await conversations.write(due, facts, againInMs[facts.kind]);
    return due.isNew ? 0 : paceMs;
  }

  async function read({
    teamId,
    conversationId: channel,
  }: DueConversation): Promise<ConversationFacts | Extract<SlackFailure, { outcome: 'later' }>> {
    try {
      const client = clientOf(teamId);
      const { channel: found } = await client.conversations.info({ channel });
      const isPublic = found?.is_private === false && !found.is_im && !found.is_mpim;
      if (isPublic) return { kind: 'public' };
      return { kind: 'private', memberIds: await readMembers(client, channel) };
    } catch (error) {
      const failure = readSlackFailure(error);
      // Slack doesn't show the conversation to the app. Its runs are only for their creators.
      return failure.outcome === 'refused' ? { kind: 'private', memberIds: [] } : failure;
    }
  }

  async function readMembers(client: Client, channel: string): Promise<string[]> {
    const memberIds: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.conversations.members({
        channel,
        limit: pageSize,
        ...(cursor && { cursor }),
      });
      memberIds.push(...(page.members ?? []));
      cursor = page.response_metadata?.next_cursor;
    } while (cursor);
    return memberIds;
  }

  /** Called when a run is accepted there. If the process dies first, the next one finds the conversation. */
  async function note(place: ConversationPlace): Promise<void> {
    // Direct messages need no reading: their runs are only for their creators.
    const key = `${place.teamId} ${place.conversationId}`;
    if (place.conversationId.startsWith('D') || noted.has(key)) return;
    if (await conversations.note(place)) loop.wake();
    noted.set(key, true);
  }

  return {
    note(place: ConversationPlace): void {
      note(place).catch((error: unknown) => {
        isComplete = false;
        logger.warn({ err: error }, "couldn't store a conversation, trying again");
      });
    },
    start: () => loop.start(),
    stop: () => loop.stop(),
    wake: () => loop.wake(),
  };
}
