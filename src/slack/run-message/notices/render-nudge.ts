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
import { escapeText, firstLine, safeUrl } from '../../text/escape-text.ts';

export type Nudge = { text: string; blocks: KnownBlock[] };

/** Asks the creator to look at a run that needs input or takes much longer than usual. */
export function renderNudge(
  request: RunRequest,
  userIds: readonly string[],
  round?: string,
): Nudge {
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

/** The question itself, because a direct message has no thread; half way to its end, until when it's open. */
function renderWaiting({ title }: RunRequest, { question }: OpenQuestion, round = ''): string {
  const closes = closesAt(question);
  if (round.startsWith('warning') && closes !== undefined)
    return `⏳ ${boldTitle(title)} still needs input. The question is open until ${time(closes)}.`;
  const asked = escapeText(firstLine(question.text), questionLimit);
  return `✋ ${boldTitle(title)} needs input.${asked ? `\n❓ ${asked}` : ''}`;
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
