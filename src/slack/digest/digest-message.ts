import type { KnownBlock } from '@slack/types';
import { canceledBeforeStart } from '../../store/request-cancel.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { listArtifacts } from '../runs/run-artifacts.ts';
import { requestLabel } from '../runs/run-state.ts';
import { titleLine } from '../runs/run-title.ts';
import { context, escapeText, firstLine, header, limits, link, section } from '../text/blocks.ts';
import { failureSentence } from '../text/failure.ts';
import type { KnownNames } from '../text/typed-text.ts';

const linesShown = 10;
/** All blocks of a message together stay far below the 12,000 characters that Slack takes. */
const sectionLimit = 2_000;
const pullRequestsOfARun = 20;

export type DigestMessage = { text: string; blocks: KnownBlock[] };

/**
 * What has happened in a channel; undefined when nothing has. Nobody is called by it: people are written by their names.
 */
export function renderDigest(
  requests: readonly RunRequest[],
  names: KnownNames,
): DigestMessage | undefined {
  if (requests.length === 0) return undefined;
  const failed = requests.filter((request) => groupOf(request) === 'failed');
  const going = requests.filter((request) => groupOf(request) === 'going');
  const ran = requests.filter((request) => ['succeeded', 'cancelled'].includes(groupOf(request)));
  const line = (request: RunRequest) => runLine(request, names);
  const counts = renderCounts(requests);
  return {
    text: `Daily digest of agent runs: ${counts}`,
    blocks: [
      header('Daily digest of agent runs'),
      section(counts),
      ...renderList('Failed', failed.map(line)),
      ...renderList('Pull requests to look at', requests.flatMap(pullRequestLines)),
      ...renderList('Still going on', going.map(line)),
      ...renderList('Ran', ran.map(line)),
      context('For runs of this channel. `/agent settings` changes the hour, or ends this.'),
    ],
  };
}

type Group = 'succeeded' | 'failed' | 'cancelled' | 'going' | 'lost';

function groupOf({ step, run, problem }: RunRequest): Group {
  if (step === 'not_started') return 'failed';
  if (step !== 'ended') return 'going';
  switch (run?.state) {
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
    case 'ERROR':
      return 'failed';
    case 'CANCELLED':
      return 'cancelled';
    default:
      if (problem?.code === canceledBeforeStart) return 'cancelled';
      return problem?.code === 'cannot_post' ? 'failed' : 'lost';
  }
}

const groupWords: Record<Group, string> = {
  succeeded: '✅ {} succeeded',
  failed: '❌ {} failed',
  cancelled: '🚫 {} cancelled',
  going: '▶️ {} still going on',
  lost: '❔ {} no longer followed',
};

function renderCounts(requests: readonly RunRequest[]): string {
  const groups = Object.keys(groupWords) as Group[];
  return groups
    .flatMap((group) => {
      const count = requests.filter((request) => groupOf(request) === group).length;
      return count > 0 ? [groupWords[group].replace('{}', String(count))] : [];
    })
    .join('  ·  ');
}

function runLine(request: RunRequest, names: KnownNames): string {
  const { sign, word } = requestLabel(request);
  const title = titleLine(request.title);
  const linked = link(request.run?.session_link, title) || escapeText(title, 100);
  const who = escapeText(names.get(request.creatorId) ?? 'somebody', 60);
  const why = groupOf(request) === 'failed' ? `: ${escapeText(reasonOf(request), 150)}` : '';
  return `${sign} ${linked}, ${escapeText(word.toLowerCase(), 50)}, by ${who}${why}`;
}

function reasonOf({ run, problem }: RunRequest): string {
  if (problem) return failureSentence(problem.code);
  return firstLine(run?.status_message?.message ?? '') || 'the runs service does not say why';
}

const pullRequestLines = ({ run }: RunRequest): string[] =>
  listArtifacts(run, pullRequestsOfARun)
    .filter(({ word }) => word === 'Pull request')
    .map(({ label, url }) => link(url, label) || escapeText(label, 100))
    .filter(Boolean);

/** As many whole lines as there is room for; the others are counted. */
function renderList(heading: string, lines: readonly string[]): KnownBlock[] {
  if (lines.length === 0) return [];
  const shown: string[] = [];
  let room = Math.min(sectionLimit, limits.text);
  for (const line of lines.slice(0, linesShown)) {
    room -= line.length + 3;
    if (room < 0) break;
    shown.push(`•  ${line}`);
  }
  const more = lines.length - shown.length;
  const rest = more > 0 ? [`… and ${more.toLocaleString('en-US')} more: see my Home tab`] : [];
  return [section([`*${heading}*`, ...shown, ...rest].join('\n'))];
}
