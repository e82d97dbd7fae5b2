import type { ContextBlock, KnownBlock, MarkdownBlock, SectionBlock } from '@slack/types';
import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { isTerminalState } from 'runs-client/contract';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { isAboutSpending, openQuestion } from '../runs/run-question.ts';
import { showAnswerButton } from '../runs/showing/buttons/run-buttons.ts';
import { renderArtifacts } from '../runs/showing/run-artifacts.ts';
import { contextLine } from '../runs/showing/run-facts.ts';
import { requestLabel, titleLine } from '../runs/showing/run-label.ts';
import {
  answerOf,
  changesOf,
  changesSummary,
  statusOf,
  stepText,
} from '../runs/showing/run-outcome.ts';
import { renderPullRequests } from '../runs/showing/run-pull-requests.ts';
import { readRunTimes } from '../runs/showing/run-times.ts';
import { agentMarkdown } from '../text/agent-markdown.ts';
import { context, header, plain, section } from '../text/blocks.ts';
import { durationText, hourAndAgo } from '../text/dates.ts';
import { escapeText, firstLine, limits, shorten } from '../text/escape-text.ts';
import { plainLine } from '../text/plain-line.ts';
import { type Offers, renderControls } from './message-buttons.ts';
import { renderPlan } from './render-plan.ts';
import {
  canceledBy,
  endingOf,
  hasFailed,
  renderAttention,
  renderSpending,
  renderTrouble,
} from './run-notes.ts';

const noteLimit = 300;
const wordLimit = 100;

export type RunMessage = { text: string; blocks: KnownBlock[] };

/**
 * Renders the message only from the stored request, so that equal requests give equal messages. Doesn't use rich text,
 * because Slack rejects an update that removes a message's last rich text block (`block_mismatch`). Slack may turn an
 * answer into rich text, which `createRunMessageWriter` handles.
 */
export function renderRunMessage(request: RunRequest, offers: Offers = {}): RunMessage {
  const answer = renderAnswer(request);
  const blocks: KnownBlock[] = [
    header(request.title),
    section(renderState(request)),
    ...renderPlan(request),
    ...answer,
    ...renderPullRequests(request),
    ...renderChanges(request),
    ...renderArtifacts(request.run),
    ...renderTrouble(request),
    ...renderPrompt(request),
    ...renderStartNotes(request),
    context(contextLine(request)),
    renderControls(request, offers),
  ];
  return { text: renderNotification(request), blocks };
}

/** Max size of the answer. The message has fewer than 30 other blocks, and Slack allows 50. */
export const answerRoom = { characters: 1_200, blocks: 20 };

/** Text next to *Show full answer*. */
export const answerBeginning = 'This is the beginning of the answer.';

/** Renders the answer, with *Show full answer* below if it's cut. */
function renderAnswer({ id, run }: RunRequest): (MarkdownBlock | SectionBlock)[] {
  const answer = answerOf(run);
  if (!answer) return [];
  const { block, isWhole } = agentMarkdown(answer, answerRoom, '…');
  return isWhole ? [block] : [block, section(answerBeginning, showAnswerButton(id))];
}

function renderChanges({ run }: RunRequest): SectionBlock[] {
  const changes = changesOf(run);
  return changes ? [section(changesSummary(changes))] : [];
}

function renderState(request: RunRequest): string {
  const { sign, word } = requestLabel(request);
  const notes = renderNotes(request).map((note) => `\n${note}`);
  const time = endingOf(request) || runningSince(request);
  return `${sign} *${escapeText(word, wordLimit)}*${time}${notes.join('')}`;
}

const startNotesLimit = 1_000;

/** Renders notes about requested values that couldn't be used when the run was created. */
function renderStartNotes({ startNotes }: RunRequest): ContextBlock[] {
  const text = (startNotes ?? []).join(' ');
  return text ? [context(`⚠️ ${escapeText(text, startNotesLimit)}`)] : [];
}

/** Returns the start time and the age. Slack keeps the age current, so the message needs no updates. */
function runningSince(request: RunRequest): string {
  const { started } = readRunTimes(request);
  const isRunning = request.step === 'following' && request.run?.state === 'INPROGRESS';
  return isRunning && started !== undefined ? ` since ${hourAndAgo(started)}` : '';
}

function renderNotes(request: RunRequest): string[] {
  const { run } = request;
  const attention = renderAttention(request);
  if (!run) return attention;
  // Leave out the status of a failed, answered or canceled run, because other parts of the message show it.
  const isElsewhere =
    hasFailed(request) || answerOf(run) !== undefined || canceledBy(run) !== undefined;
  const status = isElsewhere ? '' : firstLine(statusOf(run));
  return [
    ...(status ? [escapeText(status, noteLimit)] : []),
    ...[stepText(run) ?? []].flat(),
    ...usualWait(request),
    ...renderSpending(request),
    ...renderQuestion(request),
    ...attention,
  ];
}

function renderQuestion(request: RunRequest): string[] {
  const open = openQuestion(request);
  if (!open) return [];
  const text = open.questionId === null ? '' : firstLine(open.question.text);
  if (!text) return ['The agent is waiting for an answer.'];
  const more = isAboutSpending(open.question) ? ' Can the run spend more?' : '';
  return [`❓ ${escapeText(text, noteLimit)}${more}`];
}

/** Returns one line with the outcome, for notifications. */
function renderNotification(request: RunRequest): string {
  const { word } = requestLabel(request);
  const status = statusOf(request.run);
  const isOver = isTerminalState(request.run?.state ?? '');
  const why = isOver && hasFailed(request) && status ? ` (${shorten(plainLine(status), 150)})` : '';
  const title = shorten(titleLine(request.title), 200);
  return escapeText(`${word}: ${title}${why}`, limits.messageText);
}

/** Returns the wait that was usual when the run started. Later ends of other runs don't change the message. */
function usualWait({ run, usual }: RunRequest): string[] {
  if (run?.state !== 'QUEUED' || usual?.waitMs === undefined) return [];
  return [`Usual wait in this environment: ${durationText(usual.waitMs)}.`];
}

const charactersShown = 300;
const linesShown = 3;

/** Renders the first lines of the prompt until the run ends. Below a result, they would look like output. */
function renderPrompt(request: RunRequest): SectionBlock[] {
  if (request.step === 'ended' || request.step === 'not_started') return [];
  const [first = '', ...later] = shownText(request.prompt)
    .split('\n')
    .filter((line) => line.trim());
  const rest = afterTitle(readableLine(first), shorten(request.title, limits.header));
  const lines = rest === undefined ? [first, ...later] : [rest, ...later].filter(Boolean);
  const more = lines.length > linesShown ? ' …' : '';
  const text = lines.slice(0, linesShown).join('\n') + more;
  return text ? [{ type: 'section', text: plain(text, charactersShown) }] : [];
}

/** Returns the text after the title if the line begins with the title, whole or cut. Otherwise returns undefined. */
function afterTitle(line: string, title: string): string | undefined {
  if (line === title) return '';
  const beginning = title.endsWith('…') ? title.slice(0, -1) : undefined;
  return beginning && line.startsWith(beginning) ? `…${line.slice(beginning.length)}` : undefined;
}
