import type { WebClient } from '@slack/web-api';

/** The conversation of the app with a person, where direct messages to them go. */
export async function openDirectMessage(
  client: Pick<WebClient, 'conversations'>,
  userId: string,
): Promise<string> {
  const opened = await client.conversations.open({ users: userId });
  return opened.channel?.id ?? userId;
}
