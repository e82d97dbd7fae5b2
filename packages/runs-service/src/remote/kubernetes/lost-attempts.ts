import { failed } from '../../execution/run-end.ts';
import type { LostAttempt } from '../runner.ts';
import { type ApiProblem, readableMessage } from './kubernetes-api.ts';

/**
 * Reasons why a cluster can end a run. Each function returns the lost attempt for one reason, with a message that tells
 * people the next step.
 */

type RetryHints = {
  /** True if another run can succeed, because this run isn't the cause. */
  retryable?: boolean;
  /** True if the service can restart the run automatically. */
  canRestart?: boolean;
  error_code?: string;
};

function lost(message: string, { canRestart = false, ...hope }: RetryHints): LostAttempt {
  return { end: failed(message, { error_code: 'resource_unavailable', ...hope }), canRestart };
}

const canRestartRun = { retryable: true, canRestart: true };
const setup = { retryable: false, error_code: 'environment_setup_failed' };
/**
 * Returns a cluster's message after a colon and without its final dot. Returns an empty text if there is no message.
 */
const quoted = (text: string) => {
  const detail = readableMessage(text).replace(/[.\s]+$/, '');
  return detail === '' ? '' : `: ${detail}`;
};

export const nodeLost = (detail: string) =>
  lost(
    `The cluster lost the node of this run${quoted(detail)}. You can run it again.`,
    canRestartRun,
  );

export const evicted = (detail: string) =>
  lost(
    `The cluster evicted this run from its node${quoted(detail)}. You can run it again.`,
    canRestartRun,
  );

export const diskFull = (detail: string) =>
  lost(
    `This run used more disk than its environment allows${quoted(detail)}. Raise "disk" of the environment.`,
    setup,
  );

export const preempted = (detail: string) =>
  lost(
    `The cluster stopped this run to make room for something more important${quoted(detail)}. You can run it again.`,
    canRestartRun,
  );

export const outOfMemory = () =>
  lost(
    'This run used more memory than its environment allows. Raise the memory limit of the container "run" in the environment\'s "pod_template".',
    { ...setup, error_code: 'resource_unavailable' },
  );

export const deadline = () =>
  lost(
    'This run didn\'t end at its time limit, so the cluster stopped it. Raise "time_limit_seconds" of the environment if it needs longer.',
    { retryable: true },
  );

export const noNode = (detail: string) =>
  lost(
    `No node of the cluster can take this run${quoted(detail)}. Run it again when others have ended, or ask the cluster's operator for room.`,
    { retryable: true },
  );

export const noImage = (image: string, detail: string) =>
  lost(
    `The cluster can't pull the image ${image}${quoted(detail)}. Check "image" of the environment, and the cluster's access to its registry.`,
    setup,
  );

export const noContainer = (detail: string) =>
  lost(
    `The cluster can't start the container of this run${quoted(detail)}. Check "pod_template" of the environment.`,
    setup,
  );

export const noMount = (detail: string) =>
  lost(
    `The cluster can't prepare the pod of this run${quoted(detail)}. Check the volumes in "pod_template" of the environment.`,
    setup,
  );

export const noPod = (detail: string) =>
  isQuota(detail)
    ? noQuota(detail)
    : lost(
        `The cluster doesn't allow the pod of this run${quoted(detail)}. Change "pod_template" of the environment, or ask the cluster's operator.`,
        setup,
      );

const noQuota = (detail: string) =>
  lost(
    `The cluster's quota has no room for this run${quoted(detail)}. Run it again when others have ended, or ask the cluster's operator for a larger quota.`,
    { retryable: true },
  );

export const deleted = (what: 'Job' | 'pod') =>
  lost(`Someone deleted the ${what} of this run in the cluster. You can run it again.`, {
    retryable: true,
  });

export const endedSilently = (exitCode: number, detail: string) =>
  lost(
    `The process of this run ended with exit code ${exitCode} before it reported a result${quoted(detail)}. Check the log of its pod, then run it again.`,
    { ...canRestartRun, error_code: 'internal_error' },
  );

const isQuota = (detail: string) => /exceeded quota/i.test(detail);

/** Explains why the cluster didn't create the run's Job or Secret. */
export function rejectedObject(
  what: 'Job' | 'Secret',
  problem: ApiProblem,
  namespace: string,
): LostAttempt {
  const { status, message } = problem;
  if (problem.isPassing)
    return lost(
      `The cluster's API couldn't be reached${quoted(message)}. You can run it again.`,
      canRestartRun,
    );
  if (status === 403 && isQuota(message)) return noQuota(message);
  if (status === 401 || (status === 403 && /cannot (create|update|patch) resource/i.test(message)))
    return lost(
      `The runs service isn't allowed to create a ${what} in the namespace ${namespace}${quoted(message)}. Give it the Role of deploy/kubernetes.`,
      setup,
    );
  if (status === 404)
    return lost(
      `The namespace ${namespace} can't be used${quoted(message)}. Create it, or name another one in the kubeconfig.`,
      setup,
    );
  return lost(
    `The cluster rejected the ${what} of this run${quoted(message)}. Change "pod_template" of the environment, or ask the cluster's operator.`,
    setup,
  );
}
