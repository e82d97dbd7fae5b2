import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { PostKind } from '../../outbox/post-kind.ts';
import type { NewPost } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { threadKey } from '../runs/run-ref.ts';
import type { Reply } from './read-reply.ts';

const hintSchema = z.object({ channelId: z.string(), threadTs: z.string(), userId: z.string() });

export const mentionHint = (botUserId: string): string =>
  `Mention <@${botUserId}> to send this to the run.`;

/** Creates the hint for a run's creator. Its ID allows one hint in each thread, no matter which replica plans it. */
export const newMentionHint = (
  { id: requestId, teamId }: Pick<RunRequest, 'id' | 'teamId'>,
  { channelId, threadTs, userId }: Pick<Reply, 'channelId' | 'threadTs' | 'userId'>,
): NewPost => ({
  id: `${teamId} mention-hint ${threadKey(channelId, threadTs)}`.trim(),
  kind: 'mention-hint',
  teamId,
  requestId,
  content: { channelId, threadTs, userId } satisfies z.infer<typeof hintSchema>,
  dueAt: Date.now(),
});

/**
 * Creates the kind of post for hints, which only one person sees. An interrupted hint isn't repeated, because the app
 * can't find ephemeral messages again.
 */
export function createMentionHintKind(
  client: Pick<WebClient, 'chat'>,
  botUserId: () => string,
): PostKind {
  return {
    async open({ content, beganAt }) {
      if (beganAt !== null) return undefined;
      const { channelId, threadTs, userId } = hintSchema.parse(content);
      const to = { channel: channelId, thread_ts: threadTs, user: userId };
      const post = async (): Promise<PostOutcome> => {
        await client.chat.postEphemeral({ ...to, text: mentionHint(botUserId()) });
        return { outcome: 'posted', place: { channelId, ts: '' } };
      };
      return {
        instead: [],
        post: () => post().catch(readSlackFailure),
        find: async () => ({ outcome: 'absent' }),
        findCopies: async () => ({ outcome: 'found', places: [] }),
      };
    },
  };
}
