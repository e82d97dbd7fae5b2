import type { WebClient } from '@slack/web-api';
import { readSlackFailure } from './slack-failure.ts';

/**
 * Whether every member of the workspace can read a conversation. One that Slack doesn't show the app counts as private.
 * @throws what may pass
 */
export async function isPublicChannel(
  client: Pick<WebClient, 'conversations'>,
  channelId: string,
): Promise<boolean> {
  try {
    const { channel } = await client.conversations.info({ channel: channelId });
    return channel?.is_private === false && !channel.is_im && !channel.is_mpim;
  } catch (error) {
    if (readSlackFailure(error).outcome === 'later') throw error;
    return false;
  }
}
