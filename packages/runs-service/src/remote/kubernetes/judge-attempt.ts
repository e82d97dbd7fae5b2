import type { LostAttempt } from '../runner.ts';
import { runContainer } from './job.ts';
import type { Seen } from './job-cache.ts';
import {
  deadline,
  deleted,
  diskFull,
  endedSilently,
  evicted,
  noContainer,
  nodeLost,
  noImage,
  noNode,
  outOfMemory,
  preempted,
} from './lost-attempts.ts';
import type { Job, Pod } from './objects.ts';

/** Verdict on a Job and its pods while the run hasn't reported an end. */
export type Verdict =
  /** The attempt is in progress, or waits for something that can take any time. */
  | { kind: 'fine' }
  /** The cluster has no such Job. */
  | { kind: 'missing' }
  /** The Job waits for its pod, or the pod for its container. Only events show if something is wrong. */
  | { kind: 'starting'; at: 'job' | 'pod'; about: string }
  /** A problem that can pass. If it lasts, the attempt is lost. */
  | { kind: 'stuck'; at: 'node' | 'image' | 'container' | 'end'; lost: LostAttempt }
  | { kind: 'lost'; lost: LostAttempt };

const fine: Verdict = { kind: 'fine' };
const over = (lost: LostAttempt): Verdict => ({ kind: 'lost', lost });

export function judgeAttempt({ job, pods }: Pick<Seen, 'job' | 'pods'>): Verdict {
  if (!job) return { kind: 'missing' };
  const failure = conditionOf(job, 'Failed');
  if (failure?.reason === 'DeadlineExceeded') return over(deadline());
  const [pod] = pods;
  const verdict = pod && judgePod(pod);
  if (verdict && verdict.kind !== 'fine') return verdict;
  // Wait for the pod's reason, which can arrive after the Job's, because Jobs and pods have separate watches.
  if (failure) return { kind: 'stuck', at: 'end', lost: deleted('pod') };
  if (conditionOf(job, 'Complete')) return { kind: 'stuck', at: 'end', lost: endedSilently(0, '') };
  if (pod || job.spec.suspend || job.metadata.deletionTimestamp !== undefined) return fine;
  return { kind: 'starting', at: 'job', about: job.metadata.uid };
}

/** Returns true if the run's container has ended or won't start. */
export const hasEnded = (job: Job, pods: readonly Pod[]): boolean =>
  ['Failed', 'Complete'].some((type) => conditionOf(job, type)) ||
  pods.some(
    ({ status: { phase, containerStatuses } }) =>
      phase === 'Failed' ||
      phase === 'Succeeded' ||
      containerStatuses.some(({ name, state }) => name === runContainer && state.terminated),
  );

function judgePod(pod: Pod): Verdict {
  const { phase, reason, message, initContainerStatuses: first, containerStatuses } = pod.status;
  const disrupted = conditionOf(pod, 'DisruptionTarget');
  if (disrupted)
    return over(disruption(disrupted.reason, reason, `${message || disrupted.message}`));
  if (reason === 'NodeLost') return over(nodeLost(message));
  const statuses = [...containerStatuses.filter(({ name }) => name === runContainer), ...first];
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const ended = statuses.find(
    ({ name, state }) =>
      state.terminated && (name === runContainer || (isOver && state.terminated.exitCode !== 0)),
  )?.state.terminated;
  if (ended?.reason === 'OOMKilled') return over(outOfMemory());
  if (phase === 'Failed' && reason !== '') return over(disruption('', reason, message));
  if (ended) return over(endedSilently(ended.exitCode, ended.message));
  if (isOver) return over(endedSilently(phase === 'Failed' ? 1 : 0, message));
  if (phase !== 'Pending' || pod.metadata.deletionTimestamp !== undefined) return fine;
  return judgeStart(pod, statuses);
}

/**
 * Converts the cluster's reason for ending a pod to an explanation for people.
 * https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
function disruption(why: string, reason: string, message: string): LostAttempt {
  if (/emptydir|ephemeral (local )?storage/i.test(message) && /exceed/i.test(message))
    return diskFull(message);
  if (why === 'PreemptionByScheduler' || reason === 'Preempting') return preempted(message);
  if (why === 'DeletionByTaintManager' || why === 'DeletionByPodGC') return nodeLost(message);
  if (['NodeLost', 'NodeShutdown', 'Shutdown', 'Terminated'].includes(reason))
    return nodeLost(message);
  if (/^OutOf/.test(reason)) return noNode(message);
  return evicted(message);
}

const brokenImage = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const missingImage = new Set(['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable']);
const brokenContainer = new Set([
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
  'StartError',
]);

function judgeStart(pod: Pod, statuses: Pod['status']['containerStatuses']): Verdict {
  const scheduled = conditionOf(pod, 'PodScheduled', 'False');
  if (scheduled?.reason === 'Unschedulable')
    return { kind: 'stuck', at: 'node', lost: noNode(scheduled.message) };
  for (const { image, state } of statuses) {
    const { reason = '', message = '' } = state.waiting ?? {};
    if (brokenImage.has(reason)) return over(noImage(image, message));
    if (missingImage.has(reason))
      return { kind: 'stuck', at: 'image', lost: noImage(image, message) };
    if (brokenContainer.has(reason))
      return { kind: 'stuck', at: 'container', lost: noContainer(message) };
  }
  return pod.spec.nodeName === '' ? fine : { kind: 'starting', at: 'pod', about: pod.metadata.uid };
}

const conditionOf = ({ status }: Job | Pod, type: string, wanted = 'True') =>
  status.conditions.find((each) => each.type === type && each.status === wanted);
