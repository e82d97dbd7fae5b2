import type { WebClient } from '@slack/web-api';
import type { ConversationKind } from '../../policy/policy.ts';
import { readSlackFailure } from './slack-failure.ts';

type Client = Pick<WebClient, 'conversations'>;

/**
 * One that Slack doesn't show the app counts as private, also direct messages between other people.
 * @throws what may pass, and that a scope is missing
 */
export async function readConversationKind(
  client: Client,
  channelId: string,
): Promise<ConversationKind> {
  try {
    const { channel } = await client.conversations.info({ channel: channelId });
    if (channel?.is_im) return 'direct';
    return channel?.is_private === false && !channel.is_mpim ? 'public' : 'private';
  } catch (error) {
    const { outcome, reason } = readSlackFailure(error);
    // Rules for public channels must not be passed by because the app sees none.
    if (outcome === 'later' || reason === 'missing_scope') throw error;
    return 'private';
  }
}

/**
 * Whether every member of the workspace can read a conversation.
 * @throws what may pass
 */
export const isPublicChannel = async (client: Client, channelId: string): Promise<boolean> =>
  (await readConversationKind(client, channelId)) === 'public';
