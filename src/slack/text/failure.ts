import type { RunsApiErrorCode } from 'runs-client/runs-api-error';

/** Everything that can stand in a request's way: the runs API's codes and our own. */
export type FailureCode =
  | RunsApiErrorCode
  | 'cannot_post'
  | 'gone'
  | 'canceled_before_start'
  | 'followed_long_enough'
  | 'too_late'
  | 'outdated_view'
  | 'slack_busy'
  | 'slack_trouble'
  | 'store_away'
  | 'store_unsure'
  | 'unexpected';

/** What a person is told: what happened and what to do next. */
const sentences: Record<FailureCode, string> = {
  bad_request: 'The runs service did not understand the request. Change it and try again.',
  unauthorized: 'The runs service refused our API key. An admin must set a valid RUNS_API_KEY.',
  forbidden: 'Our API key may not do this. Ask whoever runs the runs service.',
  not_found: 'The runs service does not know this. Check RUNS_API_URL if it happens for every run.',
  conflict: 'The runs service is busy with the same thing. Try again in a moment.',
  unprocessable: 'The runs service cannot run this configuration. Change it and try again.',
  rate_limited: 'The runs service asks us to slow down. It goes on by itself.',
  client_error: 'The runs service refused the request.',
  server_error: 'The runs service has a fault of its own. Try again in a moment.',
  timeout: 'The runs service did not answer in time.',
  connection: 'The runs service cannot be reached.',
  bad_response:
    'Something answered that is not the runs service. Check RUNS_API_URL and the proxy before it.',
  ambiguous:
    'The answer was lost, so a run may have been created. Looking for it before trying again.',
  invalid_request: 'The request was not sent, because the runs service would refuse it.',
  closed: 'The app is shutting down. It goes on when it is back.',
  cannot_post:
    'There is no place where the app may post the run message. Invite it to the channel.',
  followed_long_enough:
    'Nothing new has been heard of this run for a week, so it is no longer followed.',
  canceled_before_start: 'No run was created.',
  gone: 'The run is no longer known to the runs service. Ask whoever runs it; should it be known again, press Follow again.',
  too_late:
    'Slack lets me open a form for three seconds after a click or command, and they had passed. Nothing was started or changed: do it again.',
  outdated_view:
    'This form was opened by another version of the app, so nothing was started or changed. Close it and open it again.',
  slack_busy: 'Slack is busy and did not take my answer.',
  slack_trouble: 'Slack itself had trouble and did not take my answer.',
  store_away: "Couldn't save this. Nothing was started. Try again in a minute.",
  store_unsure:
    "We couldn't confirm that this was saved. If nothing appears in a minute, try again.",
  unexpected: 'Something went wrong on our side. Nothing was lost; try again.',
};

export function failureSentence(code: string): string {
  return sentences[isFailureCode(code) ? code : 'unexpected'];
}

/** The same request would be refused again. */
export const needsChange = (code: string | undefined): boolean =>
  code !== undefined && ['bad_request', 'unprocessable', 'invalid_request'].includes(code);

const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(sentences, code);
