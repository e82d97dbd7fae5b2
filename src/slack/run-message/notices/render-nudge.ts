import type { KnownBlock } from '@slack/types';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { closesAt, type OpenQuestion, openQuestion } from '../../runs/run-question.ts';
import {
  answerButton,
  canBeCanceled,
  cancelButton,
  openSessionAction,
} from '../../runs/showing/buttons/run-buttons.ts';
import { boldTitle, plainTitle } from '../../runs/showing/run-label.ts';
import { readRunTimes } from '../../runs/showing/run-times.ts';
import { actions, button, section } from '../../text/blocks.ts';
import { durationText, time } from '../../text/dates.ts';
import { escapeText, firstLine, link, safeUrl } from '../../text/escape-text.ts';

/** Renders a nudge for the creator of a run that needs input or takes much longer than usual. */
export function renderNudge(
  request: RunRequest,
  userIds: readonly string[],
  { round, now = Date.now() }: { round?: string | undefined; now?: number } = {},
): { text: string; blocks: KnownBlock[]; short: string } {
  const { run, id } = request;
  const question = openQuestion(request);
  const render = (title: string) =>
    question ? renderWaiting(title, question, round) : renderReason(request, title, now);
  const shown = [...userIds.map((userId) => `<@${userId}>`), render(boldTitle(request.title))];
  const line = shown.join(' ');
  const session = safeUrl(run?.session_link);
  const buttons = [
    ...(question ? [answerButton(id)] : []),
    ...(session ? [button(openSessionAction, 'Open session', { url: session })] : []),
    ...(canBeCanceled(request) ? [cancelButton(id)] : []),
  ];
  const blocks = [section(line), ...(buttons.length > 0 ? [actions(buttons)] : [])];
  return { text: render(plainTitle(request.title)), blocks, short: line };
}

const questionLimit = 300;

/**
 * Renders a nudge that repeats the question, because a direct message has no thread. The warning before the question
 * closes says when that is.
 */
function renderWaiting(title: string, { question }: OpenQuestion, round = ''): string {
  const closes = closesAt(question);
  if (round.startsWith('warning') && closes !== undefined)
    return `⏳ Still needs input: ${title} · The question closes ${time(closes)}.`;
  const shown = escapeText(firstLine(question.text), questionLimit);
  return `✋ Needs input: ${title}${shown && ` · ${shown}`}`;
}

function renderReason(request: RunRequest, title: string, now: number): string {
  const { run, usual } = request;
  if (run?.state === 'BLOCKED') return `✋ Needs input: ${title} · Select Connect on its message.`;
  const { started } = readRunTimes(request);
  const times = [
    ...(started === undefined ? [] : [`${durationText(now - started)} so far`]),
    ...(usual?.workMs === undefined ? [] : [`usually ${durationText(usual.workMs)}`]),
  ].join(', ');
  return `⏱️ Longer than usual: ${title}${times && ` · ${times}`}`;
}

/**
 * Renders a link to a run in a thread, for the channel. Names no state, because the message is never updated, and
 * mentions no one.
 */
export function renderPointer(request: RunRequest, permalink: string, requestedBy: string): string {
  const open = link(permalink, 'Open thread');
  return `🧵 ${escapeText(requestedBy, 100)} shared an agent run: ${boldTitle(request.title)}. ${open}`;
}

/** Renders the answer to the person who selected *Share in channel*, if Slack rejects the post there. */
export const renderPointerFailure = (request: RunRequest): string =>
  `⚠️ Couldn't share ${boldTitle(request.title)} in <#${request.channelId}>, because the app can't post there. The run stays in its thread.`;
