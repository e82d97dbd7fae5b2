import type { WebClient } from '@slack/web-api';

/** The id of the app's direct message conversation with a person. */
export async function openDirectMessage(
  client: Pick<WebClient, 'conversations'>,
  userId: string,
): Promise<string> {
  const opened = await client.conversations.open({ users: userId });
  return opened.channel?.id ?? userId;
}
