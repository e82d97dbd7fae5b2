import type { Button } from '@slack/types';
import type { RunRequest } from '../../store/request-row.ts';
import { button, safeUrl } from '../blocks.ts';

export const openSessionAction = 'run-message:open-session';
export const connectAction = 'run-message:connect';
export const tryAgainAction = 'run-message:try-again';

/** The buttons that fit the request's state. Their values hold our request id: old messages work after any restart. */
export function renderButtons(request: RunRequest, more: readonly Button[]): Button[] {
  const { run, id } = request;
  const session = safeUrl(run?.session_link);
  const connect = safeUrl(run?.status_message?.auth_url);
  return [
    ...(connect ? [button(connectAction, 'Connect', { url: connect, style: 'primary' })] : []),
    ...(session ? [button(openSessionAction, 'Open session', { url: session })] : []),
    ...(request.step === 'not_started'
      ? [button(tryAgainAction, 'Try again', { value: id, style: 'primary' })]
      : []),
    ...more,
  ];
}
