import type { KnownBlock, SectionBlock } from '@slack/types';
import type { Run } from 'runs-client/contract';
import {
  type CancelOutcome,
  canceledBeforeStart,
  isCancelRejected,
} from '../../requests/cancel.ts';
import { budgetExceeded } from '../../requests/run-progress.ts';
import { liveSteps } from '../../requests/steps.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { isAboutSpending, openQuestion } from '../runs/run-question.ts';
import { capSpending } from '../runs/showing/cap-spending.ts';
import { isStoppedAtCap } from '../runs/showing/run-label.ts';
import { changesOf, failureMeaning, statusOf } from '../runs/showing/run-outcome.ts';
import { readRunTimes } from '../runs/showing/run-times.ts';
import { section } from '../text/blocks.ts';
import { durationText, time } from '../text/dates.ts';
import { escapeText, firstLine } from '../text/escape-text.ts';
import { capSentence, failureSentence } from '../text/failure.ts';

/** Returns notes about requests to cancel, and to stop or resume updates. */
export function renderAttention(request: RunRequest): string[] {
  const { step, unfollowedAt } = request;
  if (!liveSteps.includes(step)) return renderSearch(request);
  return [
    ...renderCancel(request),
    ...(unfollowedAt === null ? [] : [`${stoppedBy(request)} The run may still be active.`]),
  ];
}

/**
 * Returns when and why updates stopped. Only a stop after a week without a change needs attention, so it has a warning
 * sign.
 */
function stoppedBy({ problem, unfollowedAt }: RunRequest): string {
  const at = time(unfollowedAt ?? 0);
  return problem?.code === 'followed_long_enough'
    ? `⚠️ Updates stopped ${at}, because the run hadn't changed for a week.`
    : `Updates stopped ${at}.`;
}

/** Returns a line from 80% of the tightest cap until the end. At the cap, the question replaces it. */
export function renderSpending(request: RunRequest): string[] {
  const question = openQuestion(request)?.question;
  if (request.step !== 'following' || (question && isAboutSpending(question))) return [];
  const cap = capSpending(request.run);
  if (!cap?.isNearlySpent) return [];
  const { whose, spent, limit, period } = cap;
  const spender = escapeText(`${whose.charAt(0).toUpperCase()}${whose.slice(1)}`, 100);
  return [
    `⚠️ ${spender} has spent ${spent} of ${limit}${period}. At the cap, the run waits and asks.`,
  ];
}

const rejections: Record<Exclude<CancelOutcome, 'accepted'>, string> = {
  already_ended: 'the run had already ended.',
  not_cancelable: "the runs service can't cancel this kind of run. The run continues.",
  not_offered: "this runs service doesn't support canceling. The run continues.",
  forbidden: "the app's API key isn't allowed to cancel runs. The run continues.",
  rejected: 'the runs service rejected the request. The run continues.',
};

function renderCancel({ cancelAskedAt, cancelAskedBy, cancelOutcome }: RunRequest): string[] {
  if (cancelAskedAt === null) return [];
  if (cancelOutcome === null || cancelOutcome === 'accepted')
    return [`⏳ Canceling…  ·  requested by <@${cancelAskedBy}>`];
  // Use a general sentence for an outcome that a newer version of the app stored.
  return [`⚠️ Couldn't cancel, because ${rejections[cancelOutcome] ?? rejections.rejected}`];
}

/** Returns the result of *Resume updates* for a run that its service didn't know. */
function renderSearch({ missingSince, nextPollAt, followedSince }: RunRequest): string[] {
  if (missingSince === null || followedSince === null) return [];
  return nextPollAt === null
    ? [`Checked ${time(followedSince)}: the runs service still doesn't know this run.`]
    : ['Checking if the runs service knows this run again.'];
}

/**
 * Returns ` in 2m` for a run that succeeded, ` after 2m` for a failed one, or ` by @ada after 2m` for a canceled one.
 * @param nameOf renders a person, by default as a mention, which would notify the person in a new message
 */
export function endingOf(request: RunRequest, nameOf = (id: string) => `<@${id}>`): string {
  const { run, cancelAskedBy, cancelOutcome, problem } = request;
  const { tookMs } = readRunTimes(request);
  const took = tookMs === undefined ? '' : durationText(tookMs);
  const isBeforeStart = problem?.code === canceledBeforeStart;
  if (run?.state !== 'CANCELLED' && !isBeforeStart)
    return took && ` ${hasFailed(request) ? 'after' : 'in'} ${took}`;
  // Name the person even after the result "already ended". The service may return it for our own second request.
  const isOurs = !isCancelRejected(cancelOutcome) || cancelOutcome === 'already_ended';
  const by = canceledBy(run);
  const outside = by ? `by ${escapeText(by, 100)}` : 'outside Slack';
  const who = cancelAskedBy !== null && isOurs ? `by ${nameOf(cancelAskedBy)}` : outside;
  if (isBeforeStart) return ` ${who} before it started`;
  return ` ${who}${took && ` after ${took}`}`;
}

/** Reads the name from a status message such as "Canceled by Ada". */
export const canceledBy = (run: Run | null): string | undefined =>
  run?.state === 'CANCELLED'
    ? /^cancell?ed by (\S[^\n]*?)\.?$/i.exec(statusOf(run))?.[1]
    : undefined;

const capLimit = 600;
const whatNextAtCap = 'Try again then, or ask an admin to raise the cap.';

const detailLimit = 600;
const detailLines = 8;
/** Max length of the exact message after escaping. A section has 3,000 characters, including the fences. */
const escapedLimit = 2_900;

export const hasFailed = ({ run }: RunRequest) => run?.state === 'FAILED' || run?.state === 'ERROR';

/** Renders why there are no updates or no run, or why the run failed. Shows the exact message below. */
export function renderTrouble(request: RunRequest): KnownBlock[] {
  const { problem } = request;
  if (!problem) return renderFailure(request);
  const { code, message, since } = problem;
  const cap = capSentence(problem);
  if (cap) return [section(`${escapeText(cap, capLimit)} ${whatNextAtCap}`)];
  const sentence = failureSentence(code, request.connectionId);
  if (request.step === 'following' && request.unfollowedAt === null) {
    return [section(`⚠️ ${sentence} No updates since ${time(since)}. We'll keep checking.`)];
  }
  if (request.step === 'posted') {
    return [
      section(`⚠️ ${sentence} The app has been trying to start this run since ${time(since)}.`),
    ];
  }
  // Skip what the state or `renderAttention` already shows.
  const isShown =
    code === canceledBeforeStart ||
    (code === 'followed_long_enough' && request.unfollowedAt !== null);
  return [...(isShown ? [] : [section(sentence)]), ...exactText(message)];
}

function renderFailure(request: RunRequest): KnownBlock[] {
  if (!hasFailed(request)) return [];
  const status = request.run?.status_message;
  if (isStoppedAtCap(request.run)) return renderStop(request);
  const meaning = failureMeaning(status?.error_code);
  const output = exactText(statusOf(request.run));
  if (output.length === 0) return [section(meaning ?? "The runs service didn't give a reason.")];
  return [section(meaning ?? 'The agent failed. Last output:'), ...output];
}

/** Renders which cap stopped the run, and what happens to its changes. */
function renderStop(request: RunRequest): KnownBlock[] {
  const why = statusOf(request.run) || (failureMeaning(budgetExceeded) ?? '');
  const kept = changesOf(request.run) ? ' Its changes until then are kept.' : '';
  return [section(`${escapeText(firstLine(why), capLimit)}${kept}`)];
}

/**
 * Renders the exact message in mrkdwn, because `renderRunMessage` avoids rich text. Replaces code fences, which would
 * end the block early.
 */
function exactText(message: string): SectionBlock[] {
  const text = truncateLines(message.trim(), detailLines, detailLimit).replaceAll('```', 'ˋˋˋ');
  return text ? [section(`\`\`\`\n${escapeText(text, escapedLimit)}\n\`\`\``)] : [];
}

/** Number of characters reserved for the note about the omitted rest. */
const roomForMore = 60;

/**
 * Returns the beginning of a text, and a note with the length of the rest.
 * @param mostLines lines at most
 * @param limit code points at most
 */
export function truncateLines(text: string, mostLines: number, limit: number): string {
  const lines = text.split('\n');
  const first = lines.slice(0, mostLines).join('\n');
  const moreLines = lines.length - mostLines;
  const points = [...first.slice(0, 2 * (limit + 1))];
  if (moreLines <= 0 && points.length <= limit) return text;
  const room = limit - roomForMore;
  if (points.length <= room) return `${first}\n… ${counted(moreLines, 'line')}`;
  return `${points.slice(0, room).join('')}… ${counted([...text].length - room, 'character')}`;
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} more ${noun}${count === 1 ? '' : 's'} in Details`;
