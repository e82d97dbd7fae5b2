import type { WebClient } from '@slack/web-api';
import type { RemoveOutcome } from '../../outbox/outcomes.ts';
import type { PostPlace } from '../../store/outbox/outbox-row.ts';
import { readSlackFailure } from './slack-failure.ts';

type RemoveMessage = (place: PostPlace) => Promise<RemoveOutcome>;

/** Deletes messages of ours. */
export const createMessageRemover =
  (client: WebClient): RemoveMessage =>
  async ({ channelId, ts }) => {
    try {
      await client.chat.delete({ channel: channelId, ts });
      return { outcome: 'removed' };
    } catch (error) {
      return readSlackFailure(error);
    }
  };
