import { failed } from '../../execution/run-end.ts';
import type { LostAttempt } from '../runner.ts';
import { type ApiProblem, shownWords } from './kubernetes-api.ts';

/** Reasons that can end a run on a cluster, each with a sentence that says what to do. */

type Hope = {
  /** True if running it again can help, because the run isn't the reason. */
  retryable?: boolean;
  /** True if the service can start it over without asking. */
  mayRestart?: boolean;
  error_code?: string;
};

function lost(message: string, { mayRestart = false, ...hope }: Hope): LostAttempt {
  return { end: failed(message, { error_code: 'resource_unavailable', ...hope }), mayRestart };
}

const again = { retryable: true, mayRestart: true };
const setup = { retryable: false, error_code: 'environment_setup_failed' };
/** Quotes the cluster, without a dot at the end. */
const quoted = (text: string) => {
  const words = shownWords(text).replace(/[.\s]+$/, '');
  return words === '' ? '' : `: ${words}`;
};

export const nodeLost = (words: string) =>
  lost(`The cluster lost the node of this run${quoted(words)}. You can run it again.`, again);

export const evicted = (words: string) =>
  lost(`The cluster evicted this run from its node${quoted(words)}. You can run it again.`, again);

export const diskFull = (words: string) =>
  lost(
    `This run used more disk than its environment allows${quoted(words)}. Raise "disk" of the environment.`,
    setup,
  );

export const preempted = (words: string) =>
  lost(
    `The cluster stopped this run to make room for something more important${quoted(words)}. You can run it again.`,
    again,
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

export const noNode = (words: string) =>
  lost(
    `No node of the cluster can take this run${quoted(words)}. Run it again when others have ended, or ask the cluster's operator for room.`,
    { retryable: true },
  );

export const noImage = (image: string, words: string) =>
  lost(
    `The cluster can't pull the image ${image}${quoted(words)}. Check "image" of the environment, and the cluster's access to its registry.`,
    setup,
  );

export const noContainer = (words: string) =>
  lost(
    `The cluster can't start the container of this run${quoted(words)}. Check "pod_template" of the environment.`,
    setup,
  );

export const noMount = (words: string) =>
  lost(
    `The cluster can't prepare the pod of this run${quoted(words)}. Check the volumes in "pod_template" of the environment.`,
    setup,
  );

export const noPod = (words: string) =>
  isQuota(words)
    ? noQuota(words)
    : lost(
        `The cluster doesn't allow the pod of this run${quoted(words)}. Change "pod_template" of the environment, or ask the cluster's operator.`,
        setup,
      );

const noQuota = (words: string) =>
  lost(
    `The cluster's quota has no room for this run${quoted(words)}. Run it again when others have ended, or ask the cluster's operator for a larger quota.`,
    { retryable: true },
  );

export const deleted = (what: 'Job' | 'pod') =>
  lost(`Someone deleted the ${what} of this run in the cluster. You can run it again.`, {
    retryable: true,
  });

export const endedSilently = (exitCode: number, words: string) =>
  lost(
    `The process of this run ended with exit code ${exitCode} before it reported a result${quoted(words)}. Check the log of its pod, then run it again.`,
    { ...again, error_code: 'internal_error' },
  );

const isQuota = (words: string) => /exceeded quota/i.test(words);

/** Explains why the cluster didn't create an object of the run. */
export function refused(
  what: 'Job' | 'Secret',
  problem: ApiProblem,
  namespace: string,
): LostAttempt {
  const { status, message } = problem;
  if (problem.isPassing)
    return lost(
      `The cluster's API couldn't be reached${quoted(message)}. You can run it again.`,
      again,
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
    `The cluster refused the ${what} of this run${quoted(message)}. Change "pod_template" of the environment, or ask the cluster's operator.`,
    setup,
  );
}
