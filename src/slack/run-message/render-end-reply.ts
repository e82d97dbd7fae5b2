import type { RunRequest } from '../../store/request-row.ts';
import { escapeText, limits, safeUrl, shorten } from '../blocks.ts';
import { durationText } from '../duration.ts';
import { requestLabel } from '../run-state.ts';
import { listArtifacts } from './run-artifacts.ts';
import { readRunTimes } from './run-times.ts';
import { hasFailed } from './run-trouble.ts';

const namesShown = 50;
const reasonLimit = 300;
const linksShown = 3;

/** The reply in the run message's thread: who it is for, what happened, and where to look. Edits notify nobody. */
export function renderEndReply(request: RunRequest, userIds: readonly string[]): string {
  const { sign, word } = requestLabel(request);
  const { tookMs } = readRunTimes(request);
  const names = userIds.slice(0, namesShown).map((id) => `<@${id}>`);
  const others = userIds.length - names.length;
  const title = escapeText(shorten(request.title.replace(/[\s*]+/g, ' ').trim(), 150));
  const took = tookMs === undefined ? '' : ` in ${durationText(tookMs)}`;
  const reason = hasFailed(request) ? firstLine(request.run?.status_message?.message ?? '') : '';
  const links = renderLinks(request).join('  ·  ');
  const lines = [
    `${names.join(' ')}${others > 0 ? ` and ${others} more` : ''}`,
    `${sign} *${title || 'The run'}*: ${escapeText(word.toLowerCase(), 100)}${took}.`,
    ...(reason ? [`>${escapeText(reason, reasonLimit)}`] : []),
    ...(links ? [links] : []),
  ];
  return shorten(lines.join('\n'), limits.messageText);
}

function renderLinks({ run }: RunRequest): string[] {
  const pullRequests = listArtifacts(run, linksShown)
    .filter(({ word }) => word === 'Pull request')
    .map(({ label, url }) => link(url, label));
  return [...pullRequests, link(run?.session_link, 'Open session')].filter((each) => each !== '');
}

/** Only addresses that cannot end the link early. */
function link(address: string | null | undefined, label: string): string {
  const url = safeUrl(address);
  if (!url || url.length > 500) return '';
  return `<${escapeText(url.replaceAll('|', '%7C'))}|${escapeText(label, 100)}>`;
}

const firstLine = (text: string) => text.trim().split('\n')[0]?.trim() ?? '';
