import type { RunsApiErrorCode } from 'runs-client/runs-api-error';
import { keyOwnerOf, operatorConnection } from '../../requests/connection.ts';

/** Code of a failure, from the runs API or the app itself. */
export type FailureCode =
  | RunsApiErrorCode
  | 'cannot_post'
  | 'gone'
  | 'connection_removed'
  | 'key_disconnected'
  | 'canceled_before_start'
  | 'cap_unchecked'
  | 'followed_long_enough'
  | 'too_late'
  | 'outdated_view'
  | 'slack_busy'
  | 'slack_trouble'
  | 'store_unavailable'
  | 'store_unsure'
  | 'unexpected';

/** Sentences about failures. Each says what happened, then what to do. */
const sentences: Record<FailureCode, string> = {
  bad_request: "The runs service didn't understand this request. Change it and try again.",
  unauthorized:
    "The runs service rejected the app's API key. Ask the app's operator to set a valid RUNS_API_KEY.",
  forbidden: "The app's API key doesn't allow this. Ask the operator of the runs service.",
  not_found:
    "The runs service can't find this. If it happens for every run, ask the app's operator to check RUNS_API_URL.",
  conflict: 'The runs service is busy with this run. Try again in a moment.',
  unprocessable: "The runs service can't run this configuration. Change it and try again.",
  rate_limited: 'The runs service is getting too many requests.',
  client_error: 'The runs service rejected the request.',
  server_error: 'The runs service had an internal error. Try again in a moment.',
  timeout: "The runs service didn't respond in time.",
  connection: "The runs service can't be reached.",
  bad_response:
    "The response didn't come from the runs service. Ask the app's operator to check RUNS_API_URL and any proxy in front of it.",
  ambiguous: 'The response was lost, so the run may exist. The app checks before trying again.',
  invalid_request: "The request wasn't sent, because the runs service would reject it.",
  closed: 'The app is shutting down. It continues after the restart.',
  cannot_post: "The app can't post the run message anywhere. Invite it to the channel.",
  followed_long_enough: "The run hadn't changed for a week, so updates stopped.",
  canceled_before_start: 'No run was created.',
  budget_exceeded:
    'A spending cap is used up. Try again after it resets, or ask an admin to raise it.',
  cap_unchecked: "A spending cap couldn't be checked. Try again in a minute.",
  gone: "The runs service no longer has this run. If the service's operator restores it, select *Resume updates*.",
  connection_removed:
    "This run's connection was removed, so updates stopped. Check the runs service for the result.",
  key_disconnected:
    'The key for this run was disconnected. Connect a key, then select *Resume updates*.',
  too_late:
    'Slack allows 3 seconds to open a form, and that time ran out. Nothing was started or changed. Try again.',
  outdated_view:
    'The app was updated after this form was opened. Nothing was started or changed. Close the form and open it again.',
  slack_busy: "Slack is busy and didn't accept the response.",
  slack_trouble: "Slack had a problem and didn't accept the response.",
  store_unavailable: "Couldn't save this. Nothing was started. Try again in a minute.",
  store_unsure: 'This may not have been saved. If nothing appears in a minute, try again.',
  unexpected: 'The app hit an error. Nothing was lost. Try again.',
};

/**
 * Explains a failure, as mrkdwn.
 * @param connectionId connection of the failed run, if the failure is about a run
 * @param nameOf renders the owner of the connection's key. Default: a mention.
 */
export function failureSentence(
  code: string,
  connectionId = operatorConnection,
  nameOf = (userId: string): string => `<@${userId}>`,
): string {
  const ownerId = keyOwnerOf(connectionId);
  const owner = ownerId && nameOf(ownerId);
  if (code === 'unauthorized' && owner)
    return `The runs service rejected ${owner}'s API key. ${owner} can connect a new one.`;
  if (code === 'unauthorized' && connectionId !== operatorConnection) return workspaceKeyRejected;
  if (code === 'key_disconnected' && owner)
    return `${owner} disconnected the key for this run. After ${owner} connects a key again, select *Resume updates*.`;
  return sentences[isFailureCode(code) ? code : 'unexpected'];
}

/** Returns the sentence of a request that was over a cap, if it says whose cap and when it resets. Not escaped. */
export const capSentence = ({
  code,
  message,
}: {
  code: string;
  message: string;
}): string | undefined =>
  code === 'budget_exceeded' && message.includes(' resets on ') ? message : undefined;

const workspaceKeyRejected =
  "The runs service rejected this workspace's API key. A workspace admin can replace it.";

/** Returns true if the request has to change, because the same one would be rejected again. */
export const needsChange = (code: string | undefined): boolean =>
  code !== undefined && ['bad_request', 'unprocessable', 'invalid_request'].includes(code);

const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(sentences, code);
