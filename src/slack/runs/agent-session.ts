import { isTerminalState } from 'runs-client/contract';
import { z } from 'zod';
import { liveSteps } from '../../requests/steps.ts';
import type { NewPost, PostPlace } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { titleLine } from './showing/run-label.ts';

/** Status that Slack shows for a thread in which the app works. https://docs.slack.dev/ai/agent-sessions */
export type SessionStatus = 'active' | 'processing' | 'suspended' | 'closed';

const sessionSchema = z.object({
  channelId: z.string(),
  threadTs: z.string(),
  /** Title of a new session. */
  title: z.string(),
  initiatorId: z.string().nullable(),
});
export type AgentSession = z.infer<typeof sessionSchema>;

export const readSession = (content: unknown): AgentSession => sessionSchema.parse(content);

export const sessionId = (teamId: string, { channelId, ts }: PostPlace): string =>
  `session ${teamId} ${channelId} ${ts}`;

/**
 * Creates the session that all runs of a thread share. It's deleted with the request that created it. The next run that
 * needs it creates it again.
 */
export const newSession = (request: RunRequest, thread: PostPlace): NewPost => ({
  id: sessionId(request.teamId, thread),
  kind: 'agent-session',
  teamId: request.teamId,
  requestId: request.id,
  dueAt: Date.now(),
  content: {
    channelId: thread.channelId,
    threadTs: thread.ts,
    title: titleLine(request.title),
    // Leave out the initiator for a workflow, because its run's creator can be the app itself.
    initiatorId: request.origin?.kind === 'workflow' ? null : request.creatorId,
  } satisfies AgentSession,
});

/** Returns the status of a run in its thread. It's `closed` if the run ended, or the app no longer follows it. */
export function sessionStatusOf({ step, run, unfollowedAt }: RunRequest): SessionStatus {
  const isLive = liveSteps.includes(step) && !isTerminalState(run?.state ?? '');
  if (!isLive || unfollowedAt !== null) return 'closed';
  return run?.state === 'BLOCKED' ? 'suspended' : 'processing';
}

/** Returns the status of a thread with these live runs. Slack shows its Stop button while one of them works. */
export function threadStatusOf(
  acceptsPlainReplies: boolean,
  live: readonly RunRequest[],
): SessionStatus {
  const statuses = new Set(live.map(sessionStatusOf));
  if (statuses.has('processing')) return 'processing';
  if (statuses.has('suspended')) return 'suspended';
  // Keep the session active if a reply can continue the conversation.
  return acceptsPlainReplies ? 'active' : 'closed';
}
