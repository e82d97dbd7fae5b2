/** What a failure means and what can help, by the error code that the runs service reports with a failed run. */
const meanings: Record<string, string> = {
  insufficient_credits: 'The runs service is out of credits. Ask its admin to add more.',
  budget_exceeded: 'The budget for runs is used up. Ask its owner to raise it.',
  feature_not_available: "The runs service's plan doesn't include this.",
  external_authentication_required:
    "The agent needs an account of yours that isn't connected. Connect it, then run this again.",
  authentication_required:
    'The runs service requires you to sign in. Sign in, then run this again.',
  not_authorized: "The agent doesn't have access to something it needs. Ask for access.",
  invalid_request: "The runs service can't use this configuration. Change it, then run this again.",
  resource_not_found:
    "A repository, environment or skill in this run's configuration doesn't exist.",
  integration_disabled: 'An integration that the run needs is turned off.',
  integration_not_configured: "An integration that the run needs isn't set up.",
  operation_not_supported: "The runs service doesn't support this kind of run.",
  environment_setup_failed:
    'Environment setup failed. Check the setup in the session or choose another environment.',
  content_policy_violation: 'The prompt violates the content policy.',
  conflict: 'Another run was in the way. Run this again in a minute.',
  resource_unavailable: "Something the run needs wasn't available. Run this again.",
  internal_error: 'The runs service had an internal error. Run this again.',
};

/** Undefined for an unknown code: the service's own message must do. */
export function failureMeaning(code: string | null | undefined): string | undefined {
  return code && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}
