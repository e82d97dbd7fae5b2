import type { TrackedPost } from '../../outbox/track-post.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { newSession, sessionId, sessionStatusOf } from '../runs/agent-session.ts';
import { threadOf } from '../runs/run-ref.ts';
import { readMessageContent } from './message-content.ts';

/** Has the agent session of the run's thread looked at when the run's part in it changed, also of one that the run left. */
export async function planSession(
  { outbox }: { outbox: Pick<Outbox, 'planUnder'> },
  request: RunRequest,
  tracked: TrackedPost,
): Promise<void> {
  const thread = threadOf(request, tracked.post.place);
  if (!thread) return;
  const content = readMessageContent(tracked.post.content);
  const session = `${sessionStatusOf(request)} ${thread.channelId} ${thread.ts}`;
  if (content.session === session) return;
  const [, channelId, ts] = content.session?.split(' ') ?? [];
  const left = channelId && ts && ts !== thread.ts && sessionId(request.teamId, { channelId, ts });
  const planned = newSession(request, thread);
  await tracked.record({ content: { ...content, session } }, (lease, changes) =>
    outbox.planUnder(lease, changes, [planned], [planned.id, ...(left ? [left] : [])]),
  );
}
