import type { KnownBlock } from '@slack/types';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { closesAt, type OpenQuestion, openQuestion } from '../../runs/run-question.ts';
import {
  answerButton,
  canBeCanceled,
  cancelButton,
  openSessionAction,
} from '../../runs/showing/buttons/run-buttons.ts';
import { boldTitle } from '../../runs/showing/run-label.ts';
import { readRunTimes } from '../../runs/showing/run-times.ts';
import { actions, button, section } from '../../text/blocks.ts';
import { durationText, time } from '../../text/dates.ts';
import { escapeText, firstLine, link, safeUrl } from '../../text/escape-text.ts';

/** Asks the creator to look at a run that needs input or takes much longer than usual. */
export function renderNudge(
  request: RunRequest,
  userIds: readonly string[],
  round?: string,
): { text: string; blocks: KnownBlock[] } {
  const { run, id } = request;
  const question = openQuestion(request);
  const names = userIds.map((userId) => `<@${userId}>`).join(' ');
  const text = `${names} ${question ? renderWaiting(request, question, round) : renderReason(request)}`;
  const session = safeUrl(run?.session_link);
  const buttons = [
    ...(question ? [answerButton(id)] : []),
    ...(session ? [button(openSessionAction, 'Open session', { url: session })] : []),
    ...(canBeCanceled(request) ? [cancelButton(id)] : []),
  ];
  return { text, blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : [])] };
}

const questionLimit = 300;

/** Repeats the question, because a direct message has no thread. Halfway to its end, says until when it's open. */
function renderWaiting({ title }: RunRequest, { question }: OpenQuestion, round = ''): string {
  const closes = closesAt(question);
  if (round.startsWith('warning') && closes !== undefined)
    return `⏳ ${boldTitle(title)} still needs input. The question is open until ${time(closes)}.`;
  const shown = escapeText(firstLine(question.text), questionLimit);
  return `✋ ${boldTitle(title)} needs input.${shown ? `\n❓ ${shown}` : ''}`;
}

function renderReason(request: RunRequest): string {
  const { run, usual } = request;
  const title = boldTitle(request.title);
  if (run?.state === 'BLOCKED') return `✋ ${title} needs input. Its message says how to connect.`;
  const { started } = readRunTimes(request);
  const since = started === undefined ? '' : ` since ${time(started)}`;
  const usually =
    usual?.workMs === undefined
      ? ''
      : ` Runs in this environment usually take ${durationText(usual.workMs)}.`;
  return `🐢 ${title} has been running${since}, much longer than usual.${usually}`;
}

/** Links the channel to a run in a thread. Names no state, because it's never updated, and mentions no one. */
export function renderPointer(request: RunRequest, permalink: string, requestedBy: string): string {
  const open = link(permalink, 'Open thread');
  return `🧵 ${boldTitle(request.title)}: agent run in a thread, shared by ${escapeText(requestedBy, 100)}. ${open}`;
}

/** Answers the person who requested it, when Slack rejects the post in the channel. */
export const renderPointerFailure = (request: RunRequest): string =>
  `⚠️ Couldn't show ${boldTitle(request.title)} in <#${request.channelId}>: the app can't post there. The run stays in its thread.`;
