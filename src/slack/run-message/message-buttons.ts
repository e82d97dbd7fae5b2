import type { Button } from '@slack/types';
import type { RunRequest } from '../../store/request-row.ts';
import {
  cancelButton,
  detailsButton,
  mayBeCancelled,
  openSessionAction,
} from '../runs/run-buttons.ts';
import { button, safeUrl } from '../text/blocks.ts';
import { needsChange } from '../text/failure.ts';

export const messageActions = {
  connect: 'run-message:connect',
  tryAgain: 'run-message:try-again',
  notify: 'run-message:notify',
  doNotNotify: 'run-message:do-not-notify',
  stopFollowing: 'run-message:stop-following',
  followAgain: 'run-message:follow-again',
  showInChannel: 'run-message:show-in-channel',
} as const;

/** The buttons that fit the request's state; `more` are those of other features. */
export function renderButtons(request: RunRequest, more: readonly Button[]): Button[] {
  const { run, id, step, problem } = request;
  const session = safeUrl(run?.session_link);
  const connect = safeUrl(run?.status_message?.auth_url);
  const { tryAgain } = messageActions;
  return [
    ...(connect
      ? [button(messageActions.connect, 'Connect', { url: connect, style: 'primary' })]
      : []),
    ...(session ? [button(openSessionAction, 'Open session', { url: session })] : []),
    ...(step === 'not_started'
      ? [
          button(tryAgain, 'Try again', {
            value: id,
            ...(!needsChange(problem?.code) && { style: 'primary' }),
          }),
        ]
      : []),
    ...more,
    ...(mayBeCancelled(request) ? [cancelButton(id)] : []),
    ...renderAttention(request),
    ...renderShow(request),
    detailsButton(id),
  ];
}

function renderAttention({ id, step, unfollowedAt, missingSince }: RunRequest): Button[] {
  const { notify, stopFollowing, followAgain } = messageActions;
  // Its service did not know the run for long: it may be known again.
  if (step === 'ended' && missingSince !== null)
    return [button(followAgain, 'Follow again', { value: id })];
  if (step === 'ended' || step === 'not_started') return [];
  const notifyMe = button(notify, 'Notify me', { value: id });
  if (step !== 'following') return [notifyMe];
  return unfollowedAt === null
    ? [notifyMe, button(stopFollowing, 'Stop following', { value: id })]
    : [button(followAgain, 'Follow again', { value: id, style: 'primary' })];
}

/** For a message in a thread, until somebody has pressed it. */
function renderShow(request: RunRequest): Button[] {
  const { id, messageChannelId, channelId, origin, pointerAskedAt } = request;
  const isInThread =
    origin?.threadTs !== undefined && (messageChannelId ?? channelId) === channelId;
  // Whoever reads direct messages sees their threads anyway.
  if (!isInThread || channelId.startsWith('D') || pointerAskedAt !== null) return [];
  return [button(messageActions.showInChannel, 'Show in channel', { value: id })];
}

const asked = {
  true: '🔔 You will be named in the thread of this message when the run ends.',
  false: '🔕 You will not be named when this run ends.',
};

/** What somebody is told after *Notify me*, with the way back. */
export function renderNotifyAnswer(requestId: string, wants: boolean) {
  const text = asked[`${wants}`];
  const back = wants
    ? button(messageActions.doNotNotify, 'Do not notify me', { value: requestId })
    : button(messageActions.notify, 'Notify me', { value: requestId });
  return { text, back };
}
