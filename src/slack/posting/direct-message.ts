import type { WebClient } from '@slack/web-api';

import { readSlackFailure } from './slack-failure.ts';

/** The id of the app's direct message conversation with a person. Slack can post to a person's own id too. */
export async function openDirectMessage(
  client: Pick<WebClient, 'conversations'>,
  userId: string,
): Promise<string> {
  try {
    const opened = await client.conversations.open({ users: userId });
    return opened.channel?.id ?? userId;
  } catch (error) {
    if (readSlackFailure(error).reason !== 'missing_scope') throw error;
    return userId;
  }
}
