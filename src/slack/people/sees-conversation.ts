import type { WebClient } from '@slack/web-api';
import type { ConversationPlace, Conversations } from '../../store/people/conversations.ts';
import { isPublicChannel } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { readMembers } from './conversation-reader.ts';

/**
 * Returns true if a full member can read the conversation.
 * @throws temporary Slack errors
 */
export type SeesConversation = (userId: string, place: ConversationPlace) => Promise<boolean>;

/**
 * Creates a function that checks if a person can read a conversation. Uses what the store knows, which events keep up
 * to date. Asks Slack about conversations that are unknown or closed to the person.
 */
export function createSeesConversation(deps: {
  conversations: Pick<Conversations, 'isOpenTo'>;
  client: Pick<WebClient, 'conversations'>;
}): SeesConversation {
  const { conversations, client } = deps;

  return async (userId, place) => {
    if (await conversations.isOpenTo(place, userId)) return true;
    const { conversationId } = place;
    try {
      const isPublic = await isPublicChannel(client, conversationId);
      return isPublic || (await readMembers(client, conversationId)).includes(userId);
    } catch (error) {
      if (readSlackFailure(error).outcome === 'later') throw error;
      return false;
    }
  };
}
