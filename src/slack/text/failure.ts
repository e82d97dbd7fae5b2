import type { RunsApiErrorCode } from 'runs-client/runs-api-error';
import { isOwnKey, operatorConnection } from '../../requests/connection.ts';

/** Codes of the runs API, and our own. */
export type FailureCode =
  | RunsApiErrorCode
  | 'cannot_post'
  | 'gone'
  | 'connection_removed'
  | 'key_disconnected'
  | 'canceled_before_start'
  | 'followed_long_enough'
  | 'too_late'
  | 'outdated_view'
  | 'slack_busy'
  | 'slack_trouble'
  | 'store_unavailable'
  | 'store_unsure'
  | 'unexpected';

/** Each sentence says what happened, then what to do. */
const sentences: Record<FailureCode, string> = {
  bad_request: "The runs service didn't understand this request. Change it and try again.",
  unauthorized:
    "The runs service rejected the app's API key. Ask the app's operator to set a valid RUNS_API_KEY.",
  forbidden: "The app's API key doesn't allow this. Ask the operator of the runs service.",
  not_found:
    "The runs service can't find this. If it happens for every run, ask the app's operator to check RUNS_API_URL.",
  conflict: 'The runs service is still working on this run. Try again in a moment.',
  unprocessable: "The runs service can't run this configuration. Change it and try again.",
  rate_limited: 'The runs service is getting too many requests.',
  client_error: 'The runs service rejected the request.',
  server_error: 'The runs service had an internal error. Try again in a moment.',
  timeout: "The runs service didn't respond in time.",
  connection: "The runs service can't be reached.",
  bad_response:
    "The response didn't come from the runs service. Ask the app's operator to check RUNS_API_URL and any proxy in front of it.",
  ambiguous: "The response was lost, so the run may exist. We'll check before trying again.",
  invalid_request: "The request wasn't sent, because the runs service would reject it.",
  closed: 'The app is shutting down. It continues after the restart.',
  cannot_post: "The app can't post the run message anywhere. Invite it to the channel.",
  followed_long_enough: "The run had no updates for a week, so it's no longer followed.",
  canceled_before_start: 'No run was created.',
  gone: 'The runs service no longer knows this run. Ask its operator. If the run comes back, choose Follow again.',
  connection_removed:
    "The connection of this run was removed, so the app can't follow the run anymore. Look for it on the pages of its runs service.",
  key_disconnected:
    "The person who started this run disconnected their key, so the app can't follow the run anymore. They can connect a key, then choose Follow again.",
  too_late:
    'Slack allows 3 seconds to open a form, and that time ran out. Nothing was started or changed. Try again.',
  outdated_view:
    'The app was updated after this form was opened. Nothing was started or changed. Close the form and open it again.',
  slack_busy: "Slack is busy and didn't accept the response.",
  slack_trouble: "Slack had a problem and didn't accept the response.",
  store_unavailable: "Couldn't save this. Nothing was started. Try again in a minute.",
  store_unsure:
    "We couldn't confirm that this was saved. If nothing appears in a minute, try again.",
  unexpected: 'Something went wrong on our side. Nothing was lost. Try again.',
};

/** @param connectionId connection of the failed run, if the failure is about a run */
export function failureSentence(code: string, connectionId = operatorConnection): string {
  if (code === 'unauthorized' && connectionId !== operatorConnection)
    return isOwnKey(connectionId) ? ownKeyRefused : workspaceKeyRefused;
  return sentences[isFailureCode(code) ? code : 'unexpected'];
}

const ownKeyRefused =
  'The runs service refuses the key of the person who started this run. They can connect a new one.';
const workspaceKeyRefused =
  "The runs service refuses this workspace's key. An admin can replace it.";

/** Returns true if the same request would be rejected again. */
export const needsChange = (code: string | undefined): boolean =>
  code !== undefined && ['bad_request', 'unprocessable', 'invalid_request'].includes(code);

const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(sentences, code);
