import type { KnownBlock } from '@slack/types';
import type { PullRequestData } from 'runs-client/publication';
import { canceledBeforeStart } from '../../requests/cancel.ts';
import { isToReview, pullRequestsOf } from '../../requests/pull-request.ts';
import { readRunCost } from '../../requests/run-cost.ts';
import type { ListedRequest } from '../../store/requests/request-row.ts';
import type { Rating } from '../../store/requests/run-feedback.ts';
import type { SpentSum } from '../../store/requests/spending.ts';
import { countRatings } from '../runs/showing/buttons/run-feedback.ts';
import { automationText } from '../runs/showing/run-facts.ts';
import { boldTitle, requestLabel, titleLine } from '../runs/showing/run-label.ts';
import { outcomeFacts, statusOf } from '../runs/showing/run-outcome.ts';
import { pullRequestLine } from '../runs/showing/run-pull-requests.ts';
import { context, header, section } from '../text/blocks.ts';
import { escapeText, firstLine, limits, link } from '../text/escape-text.ts';
import { capSentence, failureSentence } from '../text/failure.ts';
import { dollars } from '../text/money.ts';
import type { KnownNames } from '../text/typed-text.ts';

const linesShown = 10;
/** Max length of a section, in characters. All blocks together then stay well below Slack's limit of 12,000. */
const sectionLimit = 2_000;

export type DigestMessage = { text: string; blocks: KnownBlock[] };

/** Spending in the channel during the last seven days, and during the seven days before them. */
type ChannelSpending = { week: SpentSum; before: SpentSum };

/** Renders the summary of a channel's runs. Returns undefined without runs. Shows people by name, without mentions. */
export function renderDigest(
  requests: readonly ListedRequest[],
  names: KnownNames,
  ratings: readonly Rating[] = [],
  spending?: ChannelSpending,
): DigestMessage | undefined {
  if (requests.length === 0) return undefined;
  const linesOf = (...groups: Group[]) =>
    requests
      .filter((request) => groups.includes(groupOf(request)))
      .map((request) => runLine(request, names));
  const isFinished = (request: ListedRequest) =>
    ['succeeded', 'canceled'].includes(groupOf(request));
  // Automations have a line each, because their runs would hide those of people.
  const finished = requests.filter((request) => isFinished(request) && !request.origin?.automation);
  const toReview = pullRequestsToReview(requests);
  const counts = [
    ...renderCounts(requests),
    ...countToReview(toReview.length),
    ...renderRatings(ratings),
  ].join('  ·  ');
  return {
    text: `Daily digest of agent runs: ${counts}`,
    blocks: [
      header('Daily digest of agent runs'),
      section([counts, ...renderSpending(spending, requests)].join('\n')),
      ...renderList('Failed', linesOf('failed')),
      ...renderList('Not started', linesOf('not_started')),
      ...renderList('Unknown', linesOf('unfollowed')),
      ...renderList('Pull requests to review', toReview.map(pullRequestLine)),
      ...renderList('Active', linesOf('active')),
      ...renderList('Automations', automationLines(requests)),
      ...renderList(
        'Finished',
        finished.map((request) => runLine(request, names)),
      ),
      context('Runs in this channel. Change the time or turn this off in `/agent settings`.'),
    ],
  };
}

type Group = 'succeeded' | 'failed' | 'not_started' | 'canceled' | 'active' | 'unfollowed';

function groupOf({ step, run, problem }: ListedRequest): Group {
  if (step === 'not_started') return 'not_started';
  if (step !== 'ended') return 'active';
  switch (run?.state) {
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
    case 'ERROR':
      return 'failed';
    case 'CANCELLED':
      return 'canceled';
    default:
      if (problem?.code === canceledBeforeStart) return 'canceled';
      return problem?.code === 'cannot_post' ? 'not_started' : 'unfollowed';
  }
}

const groupWords: Record<Group, string> = {
  succeeded: '✅ {} succeeded',
  failed: '❌ {} failed',
  canceled: '🚫 {} canceled',
  not_started: '⚠️ {} not started',
  active: '▶️ {} active',
  unfollowed: '❔ {} unknown',
};

function renderCounts(requests: readonly ListedRequest[]): string[] {
  const groups = Object.keys(groupWords) as Group[];
  return groups.flatMap((group) => {
    const count = requests.filter((request) => groupOf(request) === group).length;
    return count > 0 ? [groupWords[group].replace('{}', String(count))] : [];
  });
}

/** Returns a line for each automation, with the outcomes and the cost of its runs. */
function automationLines(requests: readonly ListedRequest[]): string[] {
  const automations = requests.flatMap(({ origin }) => origin?.automation ?? []);
  // A renamed automation has the name of its newest run.
  const newest = new Map(automations.toReversed().map((each) => [each.id, each]));
  return [...newest.values()].toReversed().map((automation) => {
    const runs = requests.filter(({ origin }) => origin?.automation?.id === automation.id);
    const name = boldTitle(automation.name, 100);
    const micros = runs.reduce((sum, { run }) => sum + (readRunCost(run)?.micros ?? 0), 0);
    return [name, ...renderCounts(runs), ...(micros > 0 ? [dollars(micros)] : [])].join('  ·  ');
  });
}

function countToReview(count: number): string[] {
  if (count === 0) return [];
  return [`👀 ${count} ${count === 1 ? 'pull request needs' : 'pull requests need'} review`];
}

function renderRatings(ratings: readonly Rating[]): string[] {
  const { good, bad } = countRatings(ratings);
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
  return [
    ...(good > 0 ? [`👍 rated good ${times(good)}`] : []),
    ...(bad > 0 ? [`👎 rated bad ${times(bad)}`] : []),
  ];
}

/** Renders the spending of a week, compared with the week before, and the most expensive of these runs. */
function renderSpending(
  spending: ChannelSpending | undefined,
  requests: readonly ListedRequest[],
): string[] {
  if (!spending || (spending.week.micros === 0 && spending.before.micros === 0)) return [];
  const { week, before } = spending;
  const { incompleteRuns: count } = week;
  const unknown =
    count > 0 ? ` (${count} ${count === 1 ? 'run' : 'runs'} without a full price)` : '';
  const line = `Spent in the last 7 days: *${dollars(week.micros)}*${unknown}, in the 7 days before: ${dollars(before.micros)}`;
  const [first, second] = requests
    .map((request) => ({ request, micros: readRunCost(request.run)?.micros ?? 0 }))
    .sort((a, b) => b.micros - a.micros);
  if (!first || !second || first.micros === 0) return [line];
  return [
    line,
    `Most expensive run of this digest: *${dollars(first.micros)}*  ${runLink(first.request)}`,
  ];
}

/**
 * Returns the pull requests to review, each once, because runs of a conversation share them. A pull request with an
 * unknown state is treated as open.
 */
function pullRequestsToReview(requests: readonly ListedRequest[]): PullRequestData[] {
  const waiting = requests
    .flatMap(({ run }) => pullRequestsOf(run))
    .filter((each) => isToReview({ ...each, state: each.state || 'open' }));
  return [...new Map(waiting.map((each) => [each.url ?? each, each])).values()];
}

function runLine(request: ListedRequest, names: KnownNames): string {
  const { sign, word } = requestLabel(request);
  const linked = runLink(request);
  const owner = escapeText(names.get(request.creatorId) ?? 'someone', 60);
  const automation = request.origin?.automation;
  const who = automation ? automationText(automation.name, owner) : owner;
  const isExplained = ['failed', 'not_started'].includes(groupOf(request));
  const why = isExplained ? `: ${escapeText(reasonOf(request, names), 150)}` : '';
  const outcome = outcomeFacts(request.run).map((fact) => `  ·  ${escapeText(fact, 60)}`);
  return `${sign} ${linked}  ·  ${who}  ·  ${escapeText(word, 50)}${why}${outcome.join('')}`;
}

function runLink({ title, run }: ListedRequest): string {
  const line = titleLine(title);
  return link(run?.session_link, line) || escapeText(line, 100);
}

function reasonOf({ run, problem, connectionId }: ListedRequest, names: KnownNames): string {
  // Use names instead of mentions, because a digest notifies nobody.
  const nameOf = (userId: string) => names.get(userId) ?? 'someone';
  if (problem) return capSentence(problem) ?? failureSentence(problem.code, connectionId, nameOf);
  return firstLine(statusOf(run)) || 'no reason given';
}

/** Renders a heading and the lines that fit, then the number of other lines. */
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
  const rest = more > 0 ? [`… ${more.toLocaleString('en-US')} more in the Home tab`] : [];
  return [section([`*${heading}*`, ...shown, ...rest].join('\n'))];
}
