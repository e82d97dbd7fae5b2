/** What can help after a failure: connect an account, run again, run again with changes, or ask someone. */
export type FailureHelp = 'connect' | 'retry' | 'change' | 'ask';

export type FailureMeaning = { sentence: string; help: FailureHelp };

const meaning = (help: FailureHelp, sentence: string): FailureMeaning => ({ help, sentence });

/** By the error code that the runs service reports with a failed run. */
const meanings: Record<string, FailureMeaning> = {
  insufficient_credits: meaning(
    'ask',
    'The runs service is out of credits. Ask its admin to add more.',
  ),
  budget_exceeded: meaning('ask', 'The budget for runs is used up. Ask its owner to raise it.'),
  feature_not_available: meaning('ask', "The runs service's plan doesn't include this."),
  external_authentication_required: meaning(
    'connect',
    "The agent needs an account of yours that isn't connected. Connect it, then run this again.",
  ),
  authentication_required: meaning(
    'connect',
    'The runs service requires you to sign in. Sign in, then run this again.',
  ),
  not_authorized: meaning(
    'ask',
    "The agent doesn't have access to something it needs. Ask for access.",
  ),
  invalid_request: meaning(
    'change',
    "The runs service can't use this configuration. Change it, then run this again.",
  ),
  resource_not_found: meaning(
    'change',
    "A repository, environment or skill in this run's configuration doesn't exist.",
  ),
  integration_disabled: meaning('ask', 'An integration that the run needs is turned off.'),
  integration_not_configured: meaning('ask', "An integration that the run needs isn't set up."),
  operation_not_supported: meaning('change', "The runs service doesn't support this kind of run."),
  environment_setup_failed: meaning(
    'change',
    'Environment setup failed. Check the setup in the session or choose another environment.',
  ),
  content_policy_violation: meaning('change', 'The prompt violates the content policy.'),
  conflict: meaning('retry', 'Another run was in the way. Run this again in a minute.'),
  resource_unavailable: meaning(
    'retry',
    "Something the run needs wasn't available. Run this again.",
  ),
  internal_error: meaning('retry', 'The runs service had an internal error. Run this again.'),
};

/** Undefined for an unknown code: the service's own message must do. */
export function failureMeaning(code: string | null | undefined): FailureMeaning | undefined {
  return code && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}
