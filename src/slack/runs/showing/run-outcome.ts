import { shownText } from 'base/secrets/mask-secrets';
import type { ChangedFiles, PlanItem, Run } from 'runs-client/contract';
import { pullRequestsOf } from '../../../requests/pull-request.ts';
import { code } from '../../text/escape-text.ts';
import { pullRequestFact } from './run-pull-requests.ts';

/**
 * Returns the answer of a run that succeeded, in Markdown and masked. Prefers the answer in the run's progress, because
 * the status message may be shorter.
 */
export function answerOf(run: Run | null): string | undefined {
  if (run?.state !== 'SUCCEEDED') return undefined;
  const answer = run.agent_progress?.answer;
  return answer ? shownText(answer).trim() : statusOf(run) || undefined;
}

/** Returns the status message of the service or its agent, masked, or an empty text. */
export const statusOf = (run: Run | null): string =>
  shownText(run?.status_message?.message ?? '').trim();

/** Returns the agent's current step, unless it's in the plan. */
export function stepText(run: Run | null): string | undefined {
  if (run?.state !== 'INPROGRESS') return undefined;
  const { step, plan } = run.agent_progress ?? {};
  const isInPlan = plan?.some(({ state, title }) => state === 'in_progress' && title === step);
  return step && !isInPlan ? code(shownText(step), stepLimit) : undefined;
}

/** Returns the number of completed steps, such as "5 of 6 steps". */
export const stepsDone = (plan: readonly PlanItem[]): string =>
  `${plan.filter(({ state }) => state === 'completed').length} of ${plan.length} steps`;

const stepLimit = 150;

/** Returns the files that the run changed, or undefined if there are none. */
export function changesOf(run: Run | null): ChangedFiles | undefined {
  const changes = run?.agent_progress?.changes;
  return changes && changes.files > 0 ? changes : undefined;
}

const filesShown = 5;
const pathLimit = 120;

/** Returns the size of the changes, such as "3 files +41 −7". */
export function changesLine({ files, insertions, deletions }: ChangedFiles): string {
  const count = `${files.toLocaleString('en-US')} ${files === 1 ? 'file' : 'files'}`;
  return `${count} +${insertions.toLocaleString('en-US')} −${deletions.toLocaleString('en-US')}`;
}

/** Returns short facts about a run's result: the changes, and the first pull request. */
export function outcomeFacts(run: Run | null): string[] {
  const changes = changesOf(run);
  const [first] = pullRequestsOf(run);
  return [...(changes ? [changesLine(changes)] : []), ...(first ? [pullRequestFact(first)] : [])];
}

/** Returns the changes in one line, with the names of the files that changed most. */
export function changesSummary(changes: ChangedFiles): string {
  const files = (changes.largest ?? []).slice(0, filesShown);
  const names = files.map(({ path }) => code(path.split('/').at(-1) || path, pathLimit));
  const more = changes.files - files.length;
  const rest = names.length > 0 && more > 0 ? [`${more.toLocaleString('en-US')} more`] : [];
  return [`*${changesLine(changes)}*`, [...names, ...rest].join(', ')]
    .filter(Boolean)
    .join('  ·  ');
}

/** Returns the changes, with the files that changed most, one per line. */
export function changesText(changes: ChangedFiles): string {
  const files = (changes.largest ?? []).slice(0, filesShown);
  const lines = files.map(
    ({ path, insertions, deletions }) => `•  ${code(path, pathLimit)} +${insertions} −${deletions}`,
  );
  const more = changes.files - files.length;
  return [
    `*${changesLine(changes)}*`,
    ...lines,
    ...(files.length > 0 && more > 0 ? [`… ${more} more`] : []),
  ].join('\n');
}

/** Explanations of failures, by the error code of a failed run. */
const meanings: Record<string, string> = {
  insufficient_credits: 'The runs service is out of credits. Ask its admin to add more.',
  budget_exceeded: 'A spending cap is used up. Ask an admin to raise it.',
  feature_not_available: "The runs service's plan doesn't include this.",
  external_authentication_required:
    "The agent needs an account that isn't connected. Connect it, then run this again.",
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

/** Returns the meaning of an error code. Undefined for an unknown one, so that the service's own message is shown. */
export function failureMeaning(code: string | null | undefined): string | undefined {
  return code && Object.hasOwn(meanings, code) ? meanings[code] : undefined;
}
