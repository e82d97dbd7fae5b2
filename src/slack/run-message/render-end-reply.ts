import type { RunRequest } from '../../store/request-row.ts';
import { listArtifacts } from '../runs/run-artifacts.ts';
import { requestLabel } from '../runs/run-state.ts';
import { boldTitle } from '../runs/run-title.ts';
import { escapeText, firstLine, limits, link, shorten } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import type { KnownNames } from '../text/typed-text.ts';
import { howItEnded } from './run-attention.ts';
import { hasFailed } from './run-trouble.ts';

const namesShown = 50;
const reasonLimit = 300;
const linksShown = 3;

/**
 * The reply at the end: who it is for, what happened, and where to look. Edits notify nobody. Whoever cancelled the run
 * is named without a mention, which would call them.
 */
export function renderEndReply(
  request: RunRequest,
  userIds: readonly string[],
  known: KnownNames = new Map(),
): string {
  const { sign, word } = requestLabel(request);
  const names = userIds.slice(0, namesShown).map((id) => `<@${id}>`);
  const others = userIds.length - names.length;
  const reason = reasonOf(request);
  const shown = (id: string) => escapeText(known.get(id) ?? 'somebody in Slack', 100);
  const links = renderLinks(request).join('  ·  ');
  const named = `${names.join(' ')}${others > 0 ? ` and ${others} more` : ''}`;
  const lines = [
    ...(named ? [named] : []),
    `${sign} ${boldTitle(request.title)}: ${escapeText(word.toLowerCase(), 100)}${howItEnded(request, shown)}.`,
    ...(request.problem ? [escapeText(failureSentence(request.problem.code), 500)] : []),
    ...(reason ? [`>${escapeText(reason, reasonLimit)}`] : []),
    ...(links ? [links] : []),
  ];
  return shorten(lines.join('\n'), limits.messageText);
}

/** The exact words, as far as there are some. */
function reasonOf(request: RunRequest): string {
  const words = request.problem?.message ?? request.run?.status_message?.message ?? '';
  return request.problem || hasFailed(request) ? firstLine(words) : '';
}

/** Its first two lines, for when Slack finds it too long: whom it is for, and what happened. */
export const shortEndReply = (text: string): string =>
  text
    .split('\n')
    .slice(0, 2)
    .map((line) => shorten(line, 500))
    .join('\n');

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = listArtifacts(run, linksShown)
    .filter(({ word }) => word === 'Pull request')
    .map(({ label, url }) => link(url, label));
  return [...pullRequests, link(run?.session_link, 'Open session')].filter((each) => each !== '');
}
