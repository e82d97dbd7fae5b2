import type { PullRequestAction } from 'runs-client/publication';
import type { Publication, PullRequest } from '../../store/publication.ts';
import type { PublishPlan } from '../publish-plan.ts';

type Actable = Pick<Publication, 'pullRequest' | 'action' | 'asked' | 'done'>;

/** Returns the actions that help now, according to the last poll. */
export function possibleActions(
  { pullRequest, action, asked, done }: Actable,
  plan: PublishPlan,
): PullRequestAction[] {
  if (!pullRequest || action || done < asked) return [];
  const { state, obstacle } = pullRequest;
  const update = obstacle === 'behind' ? ['update_branch' as const] : [];
  if (state === 'draft') return [...update, 'mark_ready'];
  if (state !== 'open') return [];
  return plan.config.merge && obstacle === undefined ? ['merge'] : update;
}

/** Returns the reason why an action is impossible, with advice. Returns undefined if it's possible or already done. */
export function whyNot(
  wanted: PullRequestAction,
  { pullRequest }: Actable,
  plan: PublishPlan,
): string | undefined {
  if (!pullRequest) return 'The run has no pull request. Publish its changes first.';
  if (wanted === 'merge' && !plan.config.merge)
    return 'Merging is off in this environment. Set "merge: true" under "publish", or merge at the code host.';
  const { number, state } = pullRequest;
  if (state === 'closed') return `Pull request #${number} was closed. Reopen it at the code host.`;
  if (state === 'merged' && wanted !== 'merge') return `Pull request #${number} was merged.`;
  if (state === 'draft' && wanted === 'merge')
    return `Pull request #${number} is a draft. Mark it as ready first.`;
  return undefined;
}

/** Texts for an action in progress. */
export const progressOf: Record<PullRequestAction, string> = {
  update_branch: 'Updating the branch',
  mark_ready: 'Marking the pull request as ready',
  merge: 'Merging the pull request',
};

/** Returns the timeline's note after an action. */
export function doneNote(action: PullRequestAction, { number }: PullRequest): string {
  const notes: Record<PullRequestAction, string> = {
    update_branch: `Updated the branch of pull request #${number}`,
    mark_ready: `Marked pull request #${number} as ready`,
    merge: `Merged pull request #${number}`,
  };
  return notes[action];
}
