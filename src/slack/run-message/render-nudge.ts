import type { KnownBlock } from '@slack/types';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { cancelButton, mayBeCanceled, openSessionAction } from '../runs/run-buttons.ts';
import { readRunTimes } from '../runs/run-times.ts';
import { boldTitle } from '../runs/run-title.ts';
import { actions, button, safeUrl, section, time } from '../text/blocks.ts';
import { durationText } from '../text/duration.ts';

export type Nudge = { text: string; blocks: KnownBlock[] };

/** Asks the creator to look at a run that needs input or takes much longer than usual. */
export function renderNudge(request: RunRequest, userIds: readonly string[]): Nudge {
  const { run, id } = request;
  const names = userIds.map((userId) => `<@${userId}>`).join(' ');
  const text = `${names} ${renderReason(request, boldTitle(request.title))}`;
  const session = safeUrl(run?.session_link);
  const buttons = [
    ...(session ? [button(openSessionAction, 'Open session', { url: session })] : []),
    ...(mayBeCanceled(request) ? [cancelButton(id)] : []),
  ];
  return { text, blocks: [section(text), ...(buttons.length > 0 ? [actions(buttons)] : [])] };
}

function renderReason(request: RunRequest, title: string): string {
  const { run, usual } = request;
  if (run?.state === 'BLOCKED') return `✋ ${title} needs input. Open the session to answer.`;
  const { started } = readRunTimes(request);
  const since = started === undefined ? '' : ` since ${time(started)}`;
  const usually =
    usual?.workMs === undefined
      ? ''
      : ` Runs in this environment usually take ${durationText(usual.workMs)}.`;
  return `🐢 ${title} has been running${since}, much longer than usual.${usually}`;
}
