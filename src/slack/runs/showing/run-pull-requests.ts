/** Describes the pull requests of a run. */
import type { SectionBlock } from '@slack/types';
import { shownText } from 'base/secrets/mask-secrets';
import type { PullRequestData, RunPublication } from 'runs-client/publication';
import { isOpen, pullRequestsOf } from '../../../requests/pull-request.ts';
import { section } from '../../text/blocks.ts';
import { code, escapeText, firstLine, link } from '../../text/escape-text.ts';
import { type Published, renderRequested } from './buttons/publish-buttons.ts';
import { pullRequestName, shortPullRequestName } from './pull-request-name.ts';

const nameLimit = 100;

/** Returns a pull request's state as a short fact, such as `PR #12 merged`. */
export const pullRequestFact = (data: PullRequestData): string =>
  [shortPullRequestName(data), stateWord(data)].filter(Boolean).join(' ');

const checkWords: Record<string, string> = {
  passing: 'checks passing',
  failing: 'checks failing',
  pending: 'checks running',
};
const reviewWords: Record<string, string> = {
  approved: 'approved',
  changes_requested: 'changes requested',
  required: 'review required',
};

const stateWord = ({ state }: PullRequestData) => firstLine(shownText(state ?? ''));

/** Describes a pull request in mrkdwn, such as `PR acme/shop#12 · open · checks passing · approved`. */
export function pullRequestLine(data: PullRequestData): string {
  const name = pullRequestName(data);
  const words = isOpen(data) ? [checkWords[data.checks ?? ''], reviewWords[data.review ?? '']] : [];
  return [
    `PR ${link(data.url, name) || code(name, nameLimit)}`,
    escapeText(stateWord(data), 30),
    ...words,
  ]
    .filter(Boolean)
    .join('  ·  ');
}

/**
 * Renders pull requests for the run message and *Details*.
 * @param rest place of the pull requests that aren't shown
 */
export function renderPullRequests(
  request: Published,
  { shown = 3, rest = 'in Details' } = {},
): SectionBlock[] {
  const { run } = request;
  const all = pullRequestsOf(run);
  const requested = renderRequested(request);
  const more = all.length - shown;
  const lines = [
    ...all.slice(0, shown).map(pullRequestLine),
    ...(more > 0 ? [`… ${more} more ${rest}`] : []),
    ...(requested ? [requested] : renderPublication(run?.publication, all.length > 0)),
  ];
  return lines.length > 0 ? [section(lines.join('\n'))] : [];
}

const messageLimit = 300;

/** Renders the state of publishing as the service reports it. */
function renderPublication(
  publication: RunPublication | null | undefined,
  hasPullRequest: boolean,
): string[] {
  if (!publication) return [];
  const { state, mode, branch, message } = publication;
  const said = escapeText(firstLine(shownText(message ?? '')), messageLimit);
  const what = mode === 'branch' ? 'branch' : 'pull request';
  const verb = hasPullRequest ? 'update' : 'create';
  switch (state) {
    case 'publishing':
      return [`⏳ ${hasPullRequest ? 'Updating' : 'Creating'} the ${what}…${said && ` ${said}`}`];
    case 'failed':
      return [`⚠️ Couldn't ${verb} the ${what}${said ? `: ${said}` : '.'}`];
    case 'published': {
      const isPushed = !hasPullRequest && branch;
      return [...(isPushed ? [`Pushed to branch ${code(branch, nameLimit)}.`] : []), said].filter(
        Boolean,
      );
    }
    default:
      return [];
  }
}
