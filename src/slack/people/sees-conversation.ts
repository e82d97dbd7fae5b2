import type { WebClient } from '@slack/web-api';
import type { ConversationPlace, Conversations } from '../../store/people/conversations.ts';
import { isPublicChannel } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';

/**
 * Returns true if a full member can read the conversation.
 * @throws temporary Slack errors
 */
export type SeesConversation = (userId: string, place: ConversationPlace) => Promise<boolean>;

const pageSize = 1_000;

/**
 * Creates a function that checks if a person can read a conversation. Uses what the store knows, which events keep up
 * to date. Asks Slack about conversations that are unknown or closed to the person.
 */
export function createSeesConversation(deps: {
  conversations: Pick<Conversations, 'isOpenTo'>;
  client: Pick<WebClient, 'conversations'>;
}): SeesConversation {
  const { conversations, client } = deps;

  async function isMember(userId: string, channel: string): Promise<boolean> {
    let cursor: string | undefined;
    do {
      const page = await client.conversations.members({
        channel,
        limit: pageSize,
        ...(cursor && { cursor }),
      });
      if (page.members?.includes(userId)) return true;
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor);
    return false;
  }

  return async (userId, place) => {
    if (await conversations.isOpenTo(place, userId)) return true;
    const { conversationId } = place;
    try {
      const isPublic = await isPublicChannel(client, conversationId);
      return isPublic || (await isMember(userId, conversationId));
    } catch (error) {
      if (readSlackFailure(error).outcome === 'later') throw error;
      return false;
    }
  };
}
