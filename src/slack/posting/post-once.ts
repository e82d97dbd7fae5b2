import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { findMarked, type Mark, type MessagePlace } from './marked-messages.ts';

type Client = Pick<WebClient, 'chat' | 'conversations'>;

/**
 * Posts an ordinary message, unless it's there: an earlier try may have arrived without an answer.
 * @param sinceMs time of the first try, in epoch milliseconds
 * @throws errors of Slack
 */
export async function postOnce(
  client: Client,
  to: MessagePlace,
  message: { mark: Mark; text: string; blocks?: KnownBlock[] | undefined },
  sinceMs: number,
): Promise<void> {
  const { mark, text, blocks } = message;
  for await (const _ of findMarked(client, to, mark, sinceMs)) return;
  await client.chat.postMessage({ ...to, text, ...(blocks && { blocks }), metadata: mark });
}
