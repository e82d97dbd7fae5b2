import type { ContextActionsBlock } from '@slack/types';
import type { RunRequest } from '../../../../store/requests/request-row.ts';
import type { Rating } from '../../../../store/requests/run-feedback.ts';
import { plain } from '../../../text/blocks.ts';

export const feedbackAction = 'run:feedback';

const ratedStates: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'ERROR']);

/**
 * Renders thumbs for a run that ended without being canceled. With the same block ID, Slack keeps a reader's choice
 * when the message is updated.
 */
export function renderFeedback({ id, step, run, problem }: RunRequest): ContextActionsBlock[] {
  if (step !== 'ended' || problem || !ratedStates.has(run?.state ?? '')) return [];
  const thumb = (rating: 'good' | 'bad') => ({
    text: plain(rating === 'good' ? 'Good result' : 'Bad result', 75),
    value: `${rating}:${id}`,
    accessibility_label: `Rate this result as ${rating}`,
  });
  const buttons = { positive_button: thumb('good'), negative_button: thumb('bad') };
  const element = { type: 'feedback_buttons' as const, action_id: feedbackAction, ...buttons };
  return [{ type: 'context_actions', block_id: 'feedback', elements: [element] }];
}

/** Returns undefined for a value of another button. */
export function readFeedback(
  value: string | undefined,
): { requestId: string; isGood: boolean } | undefined {
  const [, rating, requestId] = /^(good|bad):(.+)$/.exec(value ?? '') ?? [];
  return requestId === undefined ? undefined : { requestId, isGood: rating === 'good' };
}

export function countRatings(ratings: readonly Rating[]): { good: number; bad: number } {
  const good = ratings.filter(({ isGood }) => isGood).length;
  return { good, bad: ratings.length - good };
}
