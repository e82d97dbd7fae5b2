import type { WebClient } from '@slack/web-api';
import { withPatience } from '../../lib/patience.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import { readSlackTrouble } from './slack-trouble.ts';

/** Why the app can't post there and what to do; undefined when it can, or when Slack doesn't say in time. */
export type CheckPosting = (channelId: string) => Promise<string | undefined>;

/**
 * A conversation that takes our messages is asked about once in this time: when its form opens, and not again before
 * the form is acknowledged. A post that is refused nevertheless goes to the person directly.
 */
const keptMs = 60_000;
const mostKept = 10_000;

const notThere =
  'The app isn’t in this conversation, so it can’t post there. Type /invite @agent in it (not in a group DM), or choose another one, such as your direct messages with the app.';

const refusals: Record<string, string> = {
  channel_not_found: notThere,
  not_in_channel: notThere,
  is_archived: 'This channel is archived: choose another.',
};

export function createPostCheck(client: WebClient): CheckPosting {
  const open = new Map<string, number>();

  const check = async (channelId: string): Promise<string | undefined> => {
    try {
      const { channel } = await client.conversations.info({ channel: channelId });
      if (channel?.is_archived) return refusals['is_archived'];
      // Slack shows the app only those group DMs that it is in.
      const mayPost =
        channel?.is_member || channel?.is_im || channel?.is_mpim || !channel?.is_private;
      if (!mayPost) return notThere;
      if (open.size >= mostKept) open.clear();
      open.set(channelId, Date.now() + keptMs);
      return undefined;
    } catch (error) {
      const trouble = readSlackTrouble(error);
      return trouble.outcome === 'refused' ? refusals[trouble.reason] : undefined;
    }
  };
  return async (channelId) => {
    if ((open.get(channelId) ?? 0) > Date.now()) return undefined;
    return await withPatience(check(channelId), ackWaitMs);
  };
}
