import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
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

const minuteMs = 60_000;
/**
 * Time after which a conversation is read again, in ms. Public ones are read more often, because Slack has no event for
 * a channel that becomes private.
 */
const againInMs = { public: 15 * minuteMs, private: 4 * 60 * minuteMs };
/** Time after which another replica reads the conversation, in ms. The first replica may have been killed. */
const heldMs = minuteMs;
const idleMs = 5_000;
/**
 * Pause between two conversations, in ms. Reads 20 a minute of the 50 that Slack allows, because starting runs needs
 * some.
 */
const paceMs = 3_000;
const pageSize = 1_000;

export type ConversationReader = ReturnType<typeof createConversationReader>;

/** Creates a loop that reads who can see a conversation's runs, soon after its first run and again later. */
export function createConversationReader(deps: {
  conversations: Conversations;
  clientOf(teamId: string): Client;
  logger: Logger;
}) {
  const { conversations, clientOf, logger } = deps;
  /** Conversations that are already stored. Each is written once instead of for every run. */
  const noted = new LRUCache<string, true>(entryLimit(10_000));
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
      // Show runs only to their creators if Slack doesn't show the conversation to the app.
      return failure.outcome === 'rejected' ? { kind: 'private', memberIds: [] } : failure;
    }
  }

  /**
   * Stores the conversation of an accepted run. If the process dies before that, the next start finds the conversation.
   */
  async function note(place: ConversationPlace): Promise<void> {
    // Skip direct messages, because only creators see their runs.
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

/** Returns the IDs of a conversation's members. */
export async function readMembers(client: Client, channel: string): Promise<string[]> {
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
