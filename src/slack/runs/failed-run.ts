/** What can help after a failure: connecting an account, running again, or running again with something changed. */
export type FailureHelp = 'connect' | 'retry' | 'change' | 'ask';

export type FailureMeaning = { sentence: string; help: FailureHelp };

const because = (help: FailureHelp, sentence: string): FailureMeaning => ({ help, sentence });

/** The error codes that a runs service may give with a failed run, in words. */
const meanings: Record<string, FailureMeaning> = {
  insufficient_credits: because(
    'ask',
    'The runs service has no credits left. Whoever pays for it can add some; then run this again.',
  ),
  budget_exceeded: because(
    'ask',
    'The budget for runs is used up. Ask whoever set it, or run this again when it has been renewed.',
  ),
  feature_not_available: because('ask', 'The plan of the runs service does not include this.'),
  external_authentication_required: because(
    'connect',
    'The agent needs an account of yours that is not connected yet. Connect it, then run this again.',
  ),
  authentication_required: because(
    'connect',
    'The runs service wants you to sign in first. Do that, then run this again.',
  ),
  not_authorized: because('ask', 'The agent was not allowed to do this. Ask for access first.'),
  invalid_request: because(
    'change',
    'The runs service cannot work with this configuration. Change it and run it again.',
  ),
  resource_not_found: because(
    'change',
    'Something that the run names does not exist: a repository, an environment or a skill.',
  ),
  integration_disabled: because('ask', 'An integration that the run needs is switched off.'),
  integration_not_configured: because('ask', 'An integration that the run needs is not set up.'),
  operation_not_supported: because('change', 'The runs service cannot do this kind of run.'),
  environment_setup_failed: because(
    'change',
    'The environment could not be prepared. Look at its setup in the session, or take another one.',
  ),
  content_policy_violation: because('change', 'The prompt was refused by the content rules.'),
  conflict: because('retry', 'Another run was in the way. Run this again in a moment.'),
  resource_unavailable: because('retry', 'Something the run needs was away. Run this again.'),
  internal_error: because('retry', 'The runs service had a fault of its own. Run this again.'),
};

/** Undefined for a code that nobody knows: the service's own words must do. */
export function failureMeaning(code: string | null | undefined): FailureMeaning | undefined {
  return code && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}
