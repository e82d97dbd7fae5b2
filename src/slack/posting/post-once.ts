import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { findMarked, ifReadable, type Mark, type MessagePlace } from './marked-messages.ts';

type Client = Pick<WebClient, 'chat' | 'conversations'>;

/**
 * Posts an ordinary message, unless it's there: an earlier try may have arrived without an answer. Where the
 * app can't read, it's posted.
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
  for await (const _ of ifReadable(findMarked(client, to, mark, sinceMs))) return;
  await client.chat.postMessage({ ...to, text, ...(blocks && { blocks }), metadata: mark });
}
