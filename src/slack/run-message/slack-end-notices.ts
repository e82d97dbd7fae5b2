import type { WebClient } from '@slack/web-api';
import type { EndNotices } from '../../following/notify-end.ts';
import type { PostOutcome } from '../../following/run-messages.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { RequestWatchers } from '../../store/request-watchers.ts';
import { readSlackTrouble } from '../slack-trouble.ts';
import { begunReaction } from '../source-message.ts';
import { endReplyMetadata, findEndRepliesSince, findEndReply } from './message-metadata.ts';
import { renderEndReply } from './render-end-reply.ts';
import { hasFailed } from './run-trouble.ts';

type NoticeParts = { client: WebClient; watchers: Pick<RequestWatchers, 'list'> };

/** One reply in the thread of the run message; a direct message to the creator where that message is gone. */
export function createSlackEndNotices({ client, watchers }: NoticeParts): EndNotices {
  return {
    async reply(request) {
      const wanted = await namesOf(request);
      if (wanted.length === 0) return { outcome: 'nobody' };
      const thread = threadOf(request);
      if (thread) {
        const inThread = await post(
          { channel: thread.channelId, thread_ts: thread.ts },
          request,
          wanted,
        );
        if (inThread.outcome !== 'refused') return inThread;
      }
      try {
        return await post({ channel: await directMessage(request) }, request, [request.creatorId]);
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async find(request) {
      try {
        const direct = await directMessage(request);
        const place = await findEndReply(client, threadOf(request), direct, request);
        return place ? { outcome: 'posted', place } : { outcome: 'absent' };
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async findDoubles(request) {
      if (request.replyBeganAt === null) return { outcome: 'found', places: [] };
      try {
        const direct = await directMessage(request);
        const [, ...others] = await findEndRepliesSince(client, threadOf(request), direct, request);
        return { outcome: 'found', places: others };
      } catch (error) {
        return readSlackTrouble(error);
      }
    },

    async mark(request) {
      const source = request.origin?.source;
      if (!source || !request.run) return;
      const place = { channel: source.channelId, timestamp: source.ts };
      // Decorations: the message may be gone, closed to us, or marked already.
      await client.reactions.add({ ...place, name: reactionFor(request) }).catch(readSlackTrouble);
      await client.reactions.remove({ ...place, name: begunReaction }).catch(readSlackTrouble);
    },
  };

  /** The creator, unless they do not want it, then those who pressed *Notify me*. */
  async function namesOf(request: RunRequest): Promise<string[]> {
    const said = new Map(
      (await watchers.list(request.id)).map(({ userId, wants }) => [userId, wants]),
    );
    const { creatorId } = request;
    if (!said.has(creatorId)) said.set(creatorId, request.origin?.notify !== false);
    const wanting = [...said].filter(([, wants]) => wants).map(([userId]) => userId);
    return wanting.sort((a, b) => Number(b === creatorId) - Number(a === creatorId));
  }

  async function post(
    place: { channel: string; thread_ts?: string },
    request: RunRequest,
    userIds: readonly string[],
  ): Promise<PostOutcome> {
    try {
      const posted = await client.chat.postMessage({
        ...place,
        text: renderEndReply(request, userIds),
        metadata: endReplyMetadata(request),
        unfurl_links: false,
        unfurl_media: false,
      });
      const { channel: channelId = place.channel, ts = '' } = posted;
      return { outcome: 'posted', place: { channelId, ts } };
    } catch (error) {
      return readSlackTrouble(error);
    }
  }

  async function directMessage({ creatorId }: RunRequest): Promise<string> {
    const opened = await client.conversations.open({ users: creatorId });
    return opened.channel?.id ?? creatorId;
  }
}

/** Where the run message stands in a thread itself, replies go into that thread. */
function threadOf({ messageChannelId, messageTs, channelId, origin }: RunRequest) {
  if (messageChannelId === null || messageTs === null) return undefined;
  const inThread = messageChannelId === channelId ? origin?.threadTs : undefined;
  return { channelId: messageChannelId, ts: inThread ?? messageTs };
}

function reactionFor(request: RunRequest): string {
  if (hasFailed(request)) return 'x';
  return request.run?.state === 'SUCCEEDED' ? 'white_check_mark' : 'no_entry_sign';
}
