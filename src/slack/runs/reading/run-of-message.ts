import type { WebClient } from '@slack/web-api';
import type { PostPlace } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Requests } from '../../../store/requests/requests.ts';
import { readMark } from '../../posting/marked-messages.ts';
import { readSlackFailure } from '../../posting/slack-failure.ts';

/** Event type in the metadata of run messages. */
export const runMessageEvent = 'slash_agent_run';

/**
 * Finds the request of a run message by the message's metadata. Use it for messages that the store doesn't know. Either
 * Slack never confirmed the post, or another message replaced it. Returns undefined for other messages.
 * @throws temporary errors
 */
export type ReadRunOfMessage = (
  teamId: string,
  place: PostPlace,
) => Promise<RunRequest | undefined>;

export function createRunOfMessageReader(deps: {
  client: Pick<WebClient, 'conversations'>;
  requests: Pick<Requests, 'find'>;
}): ReadRunOfMessage {
  const { client, requests } = deps;
  async function readId({ channelId: channel, ts }: PostPlace): Promise<unknown> {
    try {
      const only = { ts, limit: 1, include_all_metadata: true };
      const { messages = [] } = await client.conversations.replies({ channel, ...only });
      const message = messages.find((each) => each.ts === ts);
      return message && readMark(runMessageEvent, message)?.['request_id'];
    } catch (error) {
      if (readSlackFailure(error).outcome === 'later') throw error;
      return undefined;
    }
  }

  return async (teamId, place) => {
    const id = await readId(place);
    const request = typeof id === 'string' ? await requests.find(id) : undefined;
    return request?.teamId === teamId ? request : undefined;
  };
}
