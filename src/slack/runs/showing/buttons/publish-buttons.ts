/** Renders buttons for the changes of a run, and the state of publishing. */
import type { Button } from '@slack/types';
import type { PullRequestAction, PullRequestData } from 'runs-client/publication';
import { isPublishing, type PublishWanted } from '../../../../requests/publish.ts';
import { isOpen, pullRequestsOf } from '../../../../requests/pull-request.ts';
import type { RunRequest } from '../../../../store/requests/request-row.ts';
import { button, confirmation } from '../../../text/blocks.ts';
import { escapeText, firstLine } from '../../../text/escape-text.ts';
import { pullRequestName } from '../pull-request-name.ts';

export const createPullRequestAction = 'pull-request:create';

export const pullRequestActionIds = {
  update_branch: 'pull-request:update-branch',
  mark_ready: 'pull-request:mark-ready',
  merge: 'pull-request:merge',
} as const satisfies Record<PullRequestAction, string>;

export type Published = Pick<
  RunRequest,
  | 'run'
  | 'publishAskedAt'
  | 'publishAskedBy'
  | 'publishWanted'
  | 'publishOutcome'
  | 'publishProblem'
>;

/** Returns true if the changes can be published now, for the first time or again after a failure. */
export const canBePublished = (request: Published): boolean =>
  !isPublishing(request) && ['offered', 'failed'].includes(request.run?.publication?.state ?? '');

/** Returns the pull request actions that the service offers now. */
export function pullRequestActions(request: Published): PullRequestAction[] {
  const offered = request.run?.publication?.actions ?? [];
  const supported = Object.keys(pullRequestActionIds) as PullRequestAction[];
  return isPublishing(request) ? [] : supported.filter((action) => offered.includes(action));
}

/** Renders *Create pull request*. After a failure, the label names what failed. */
export function publishButton(id: string, request: Published): Button[] {
  if (!canBePublished(request)) return [];
  const { publishOutcome, run } = request;
  const hasFailed = publishOutcome === 'rejected' || run?.publication?.state === 'failed';
  const again = run?.publication?.mode === 'branch' ? 'Retry push' : 'Retry pull request';
  const label = hasFailed ? again : 'Create pull request';
  return [button(createPullRequestAction, label, { value: id })];
}

const actionWords: Record<PullRequestAction, string> = {
  update_branch: 'Update branch',
  mark_ready: 'Mark ready',
  merge: 'Merge',
};

export const pullRequestButtons = (id: string, request: Published): Button[] =>
  pullRequestActions(request).map((action) =>
    button(pullRequestActionIds[action], actionWords[action], {
      value: id,
      ...(action === 'merge' && { confirm: mergeQuestion(request) }),
    }),
  );

const namesRoom = 80;

/** Returns the question that confirms a merge, such as "Merge acme/shop#12 into main?". */
function mergeQuestion({ run }: Published) {
  const open = pullRequestsOf(run).filter(isOpen);
  const [first] = open;
  const bases = new Set(open.map(({ base }) => base ?? run?.publication?.base));
  const [base] = bases.size === 1 ? bases : [];
  const what = open.length === 1 && first ? pullRequestName(first) : `${open.length} pull requests`;
  const question = `Merge ${[what, ...(base ? [base] : [])].join(' into ')}?`;
  return confirmation(
    question.length > namesRoom
      ? `Merge ${open.length === 1 ? 'the pull request' : what}?`
      : question,
    "This can't be undone from Slack.",
    'Merge',
    'Keep open',
  );
}

/** Renders *Merge* if all pull requests are green. A click checks if the person can merge. */
export function mergeButton(id: string, request: Published): Button[] {
  const open = pullRequestsOf(request.run).filter(isOpen);
  const isGreen = open.length > 0 && open.every(isMergeable);
  if (!isGreen || !pullRequestActions(request).includes('merge')) return [];
  return [
    button(pullRequestActionIds.merge, actionWords.merge, {
      value: id,
      style: 'primary',
      confirm: mergeQuestion(request),
    }),
  ];
}

const isMergeable = ({ state, checks, review }: PullRequestData): boolean =>
  state === 'open' &&
  checks === 'passing' &&
  review !== 'changes_requested' &&
  review !== 'required';

export const doing: Record<PublishWanted['action'], string> = {
  publish: 'Creating the pull request',
  update_branch: 'Updating the branch',
  mark_ready: 'Marking the pull request as ready',
  merge: 'Merging the pull request',
};
const failed: Record<PublishWanted['action'], string> = {
  publish: "Couldn't publish the changes",
  update_branch: "Couldn't update the branch",
  mark_ready: "Couldn't mark the pull request as ready",
  merge: "Couldn't merge the pull request",
};
/** Says that the service doesn't offer an action in the current state of the changes. */
export const notOffered = (action: PublishWanted['action']): string =>
  `${failed[action]}: the runs service doesn't offer this right now. The run message shows the state.`;

const problemLimit = 300;

/** Describes a requested action while it's in progress or after it was rejected. Otherwise returns undefined. */
export function renderRequested(request: Published): string | undefined {
  const { publishWanted, publishAskedBy, publishOutcome, publishProblem } = request;
  if (!publishWanted) return undefined;
  const { action } = publishWanted;
  if (isPublishing(request)) return `⏳ ${doing[action]}…  ·  requested by <@${publishAskedBy}>`;
  switch (publishOutcome) {
    case 'not_offered':
      return `⚠️ ${failed[action]}: this runs service doesn't support it.`;
    case 'rejected': {
      const reason = escapeText(firstLine(publishProblem ?? ''), problemLimit);
      return `⚠️ ${failed[action]}${reason ? `: ${reason}` : '.'}`;
    }
    default:
      return undefined;
  }
}
