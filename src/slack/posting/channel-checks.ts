import type { WebClient } from '@slack/web-api';
import { entryLimit } from 'base/entry-limit';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { LRUCache } from 'lru-cache';
import type { ConversationKind } from '../../policy/policy.ts';
import { readSlackFailure } from './slack-failure.ts';

type Client = Pick<WebClient, 'conversations'>;

/**
 * Reads the kind of a conversation. A conversation that Slack doesn't show the app is private, such as direct messages
 * between other people.
 * @throws temporary errors, and a missing scope
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
    // Rethrow the error, so that nobody bypasses a rule for public channels while the app can't see channels.
    if (outcome === 'later' || reason === 'missing_scope') throw error;
    return 'private';
  }
}

/**
 * Returns true if every member of the workspace can read the conversation.
 * @throws temporary errors, and a missing scope
 */
export const isPublicChannel = async (client: Client, channelId: string): Promise<boolean> =>
  (await readConversationKind(client, channelId)) === 'public';

/**
 * Returns why the app can't post in a channel and what to do. Returns undefined if the app can post, or if Slack
 * doesn't answer in time.
 */
export type CheckPosting = (channelId: string) => Promise<string | undefined>;

/**
 * Limits of the cache of channels in which the app can post. The form checks on opening, so its submission needs no
 * second call to Slack. A post that Slack rejects anyway becomes a direct message.
 */
const openChannels = { ...entryLimit(10_000), ttl: 60_000 };

const notThere =
  "The app can't post in this conversation. Type /invite @agent in it, or choose another channel. In direct messages, /invite doesn't work.";

const rejections: Record<string, string> = {
  channel_not_found: notThere,
  not_in_channel: notThere,
  is_archived: 'This channel is archived. Choose another one.',
};

export function createPostCheck(
  { client, granted }: { client: WebClient; granted: { has(scope: string): boolean } },
  ackWaitMs: number,
): CheckPosting {
  const open = new LRUCache<string, true>(openChannels);

  const check = async (channelId: string): Promise<string | undefined> => {
    try {
      const { channel } = await client.conversations.info({ channel: channelId });
      if (channel?.is_archived) return rejections['is_archived'];
      // Treat the channel as postable if it's public and the app has the scope for that. Slack shows only group DMs
      // that the app is in.
      const isPublic = !channel?.is_private && granted.has('chat:write.public');
      const canPost = channel?.is_member || channel?.is_im || channel?.is_mpim || isPublic;
      if (!canPost) return notThere;
      open.set(channelId, true);
      return undefined;
    } catch (error) {
      const failure = readSlackFailure(error);
      return failure.outcome === 'rejected' ? rejections[failure.reason] : undefined;
    }
  };
  return async (channelId) =>
    open.has(channelId) ? undefined : await withSoftTimeout(check(channelId), ackWaitMs);
}
