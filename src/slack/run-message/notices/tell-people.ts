import type { WebClient } from '@slack/web-api';
import type { DueAt } from 'base/leased-work';
import { nudgeAt, readLength } from '../../../following/expected-times.ts';
import { endRound } from '../../../following/progress.ts';
import type { Later } from '../../../outbox/outcomes.ts';
import type { TrackedPost } from '../../../outbox/track-post.ts';
import type { RunLengths } from '../../../store/following/run-lengths.ts';
import type { Outbox } from '../../../store/outbox/outbox.ts';
import type { NewPost } from '../../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { readPassing } from '../../posting/slack-failure.ts';
import { openQuestion } from '../../runs/run-question.ts';
import { markEnd } from '../mark-source.ts';
import { readMessageContent } from '../message-content.ts';
import { type PlanParts, planEnd, planNudge } from './plan-notices.ts';
import { planQuestion } from './plan-question.ts';

export type TellParts = PlanParts & {
  client: Pick<WebClient, 'reactions'>;
  outbox: Pick<Outbox, 'planUnder'>;
  lengths: Pick<RunLengths, 'note'>;
};

/**
 * Plans the notices for the state that the run message shows. Who gets them is decided once, so that later changes of
 * settings cause no second reply.
 */
export async function tellPeople(
  parts: TellParts,
  request: RunRequest,
  tracked: TrackedPost,
): Promise<Later | { outcome: 'planned'; dueAt: DueAt }> {
  const before = readMessageContent(tracked.post.content);
  const { planned, asking } = before;
  const end = endRound(request);
  const question = openQuestion(request);
  const name = end ?? question?.postId ?? 'nudge';
  const outdated = asking === question?.postId ? undefined : asking;
  const dueAt = planned.includes(name) ? null : dueToTell(request, name);
  if (dueAt === null || dueAt > Date.now()) {
    if (outdated) await record(planned, []);
    return { outcome: 'planned', dueAt };
  }
  if (end !== undefined) {
    await markEnd(parts.client, request);
    const length = readLength(request);
    if (length) await parts.lengths.note(length);
  }
  const posts = await plan().catch((error: unknown) => {
    const passing = readPassing(error);
    if (!passing) throw error;
    return passing;
  });
  if ('outcome' in posts) return posts;
  await record([...planned, name], posts);
  return { outcome: 'planned', dueAt: null };

  /** @throws what may pass */
  async function plan(): Promise<NewPost[]> {
    if (end !== undefined) return planEnd(parts, request, tracked.post.place);
    return question ? planQuestion(parts, request, question) : planNudge(parts, request);
  }

  /** The question that isn't open any more says so. */
  function record(all: string[], posts: readonly NewPost[]): Promise<void> {
    const content = { ...before, planned: all, asking: question?.postId };
    return tracked.record({ content }, (lease, changes) =>
      parts.outbox.planUnder(lease, changes, posts, outdated ? [outdated] : []),
    );
  }
}

/** A question and an end at once. */
const dueToTell = (request: RunRequest, name: string): DueAt =>
  name === 'nudge' ? nudgeAt(request) : 0;
