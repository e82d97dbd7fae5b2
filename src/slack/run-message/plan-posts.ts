import type { WebClient } from '@slack/web-api';
import type { DueAt } from 'base/leased-work';
import { z } from 'zod';
import { nudgeAt, readLength } from '../../following/expected-times.ts';
import { endRound } from '../../following/progress.ts';
import type { RetryLater } from '../../outbox/outcomes.ts';
import type { TrackedPost } from '../../outbox/track-post.ts';
import { isUnknown } from '../../requests/run-progress.ts';
import type { RunLengths } from '../../store/following/run-lengths.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { NewPost } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readSlackFailure, readTransientFailure } from '../posting/slack-failure.ts';
import { startedReaction } from '../posting/source-message.ts';
import { newSession, sessionId, sessionStatusOf } from '../runs/agent-session.ts';
import { openQuestion } from '../runs/run-question.ts';
import { threadOf } from '../runs/run-ref.ts';
import { planEnd, planNudge, planQuestion, type RecipientDeps } from './notices/plan-notices.ts';
import { hasFailed } from './run-notes.ts';

export type PlanNotices = (
  request: RunRequest,
  tracked: TrackedPost,
) => Promise<RetryLater | { outcome: 'planned'; dueAt: DueAt }>;

type Deps = RecipientDeps & {
  client: Pick<WebClient, 'reactions'>;
  outbox: Pick<Outbox, 'planUnder'>;
  lengths: Pick<RunLengths, 'note'>;
};

/**
 * Creates a function that plans the notices for the state that the run message shows. Recipients are decided once, so
 * that later changes of settings cause no second reply.
 */
export const createNoticePlanner =
  (deps: Deps): PlanNotices =>
  async (request, tracked) => {
    const before = readMessageContent(tracked.post.content);
    const { planned, asking } = before;
    const end = endRound(request);
    const question = openQuestion(request);
    const name = end ?? question?.postId ?? 'nudge';
    const outdated = asking === question?.postId ? undefined : asking;
    const dueAt = planned.includes(name) ? null : dueToNotify(request, name);
    if (dueAt === null || dueAt > Date.now()) {
      if (outdated) await record(planned, []);
      return { outcome: 'planned', dueAt };
    }
    if (end !== undefined) {
      await markEnd(deps.client, request);
      const length = readLength(request);
      if (length) await deps.lengths.note(length);
    }
    const posts = await plan().catch((error: unknown) => {
      const passing = readTransientFailure(error);
      if (!passing) throw error;
      return passing;
    });
    if ('outcome' in posts) return posts;
    await record([...planned, name], posts);
    return { outcome: 'planned', dueAt: null };

    /**
     * Returns the notices for the current state.
     * @throws temporary failures
     */
    async function plan(): Promise<NewPost[]> {
      if (end !== undefined) return planEnd(deps, request, tracked.post.place);
      return question ? planQuestion(deps, request, question) : planNudge(deps, request);
    }

    /** Stores what was planned. Also updates the card of a question that isn't open anymore. */
    function record(all: string[], posts: readonly NewPost[]): Promise<void> {
      const content = { ...before, planned: all, asking: question?.postId };
      return tracked.record({ content }, (lease, changes) =>
        deps.outbox.planUnder(lease, changes, posts, outdated ? [outdated] : []),
      );
    }
  };

/** Returns when a notice is due. Questions and ends are due at once. */
const dueToNotify = (request: RunRequest, name: string): DueAt =>
  name === 'nudge' ? nudgeAt(request) : 0;

/** Plans an update of the thread's agent session, if the run's status or thread has changed. */
export async function planSession(
  outbox: Pick<Outbox, 'planUnder'>,
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

/** Notices and sessions that were planned for a run message, so that each is planned once. */
const contentSchema = z.object({
  /** Names of planned notices: the ends of the request, questions, and the nudge. */
  planned: z.array(z.string()).default([]),
  /** ID of the open question's post. */
  asking: z.string().optional(),
  /** Status and thread of the planned agent session. */
  session: z.string().optional(),
});
type MessageContent = z.infer<typeof contentSchema>;

const readMessageContent = (content: unknown): MessageContent => contentSchema.parse(content);

const failedReaction = 'x';
const unknownReaction = 'grey_question';

/** Adds a reaction for the end to the message that the run was started from. Adding it twice is safe. */
async function markEnd(client: Pick<WebClient, 'reactions'>, request: RunRequest): Promise<void> {
  const source = request.origin?.source;
  if (!source || (!request.run && request.step !== 'not_started')) return;
  const place = { channel: source.channelId, timestamp: source.ts };
  const name = reactionFor(request);
  // Ignore failed reactions, because they're optional. The message may be gone, inaccessible, or marked already.
  await client.reactions.add({ ...place, name }).catch(readSlackFailure);
  for (const other of earlierReactions(request).filter((each) => each !== name))
    await client.reactions.remove({ ...place, name: other }).catch(readSlackFailure);
}

/**
 * Returns the reactions to remove. One may be from an earlier attempt, because a run that wasn't started can be tried
 * again.
 */
const earlierReactions = ({ followedSince }: RunRequest) => [
  ...[startedReaction, failedReaction],
  ...(followedSince === null ? [] : [unknownReaction]),
];

function reactionFor(request: RunRequest): string {
  if (isUnknown(request.problem)) return unknownReaction;
  if (hasFailed(request) || request.step === 'not_started') return failedReaction;
  return request.run?.state === 'SUCCEEDED' ? 'white_check_mark' : 'no_entry_sign';
}
