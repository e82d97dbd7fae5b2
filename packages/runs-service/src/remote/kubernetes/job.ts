import { createHash } from 'node:crypto';
import type { V1Container, V1Job, V1PodSpec, V1Secret } from '@kubernetes/client-node';
import type { KubernetesConfig } from '../../environments/kubernetes-config.ts';
import type { Attempt } from '../runner.ts';

type JobRequest = AttemptId & {
  environmentId: string;
  config: KubernetesConfig;
  /** Variables of the pod's process. They hold no secrets, because everyone who can read Jobs sees them. */
  variables: Record<string, string>;
  deadlineSeconds: number;
};

/** Name of the pod's container that executes the run. */
export const runContainer = 'run';
const tokenFolder = '/run/slash-agent';
export const tokenFile = `${tokenFolder}/token`;
/** Folder for the run's files. Except for this folder and /tmp, the container's files are read-only. */
export const workFolder = '/work';

/** ID of the user `node` in the service's image. */
const userId = 1_000;
/**
 * Grace period of a pod after a cancel, in seconds. The pod has to be gone after ten seconds, and `run-one` needs
 * nine.
 */
const stopSeconds = 9;
/** Time that finished Jobs stay in the cluster, in seconds, for people who use kubectl. */
const keepSeconds = 3_600;
/** Time that a Job has to start its pod, in seconds. It's added to the Job's deadline. */
const startSeconds = 1_800;

const hardenedContainer: V1Container['securityContext'] = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const hardenedPod: V1PodSpec['securityContext'] = {
  runAsNonRoot: true,
  runAsUser: userId,
  runAsGroup: userId,
  fsGroup: userId,
  seccompProfile: { type: 'RuntimeDefault' },
};

/**
 * Creates the Job of one attempt of a run. The operator's template can replace all defaults, including the security
 * settings. It can't change the names, labels, command and token that the service needs, and can't turn on restarts.
 */
export function createJob(request: JobRequest): V1Job {
  const { config, environmentId, deadlineSeconds, runId } = request;
  const { pod_template: template = {}, queue_name: queue } = config;
  const labels = labelsOf(request, environmentId);
  const annotations = { 'slash-agent/run-id': runId };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(request),
      labels: { ...labels, ...(queue !== undefined && { 'kueue.x-k8s.io/queue-name': queue }) },
      annotations,
    },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: deadlineSeconds + startSeconds,
      ttlSecondsAfterFinished: keepSeconds,
      // Create the Job suspended if it has a queue, because Kueue starts the Job when there is room.
      ...(queue !== undefined && { suspend: true }),
      template: {
        metadata: {
          labels: { ...template.metadata?.labels, ...labels },
          annotations: { ...template.metadata?.annotations, ...annotations },
        },
        spec: podSpec(request, template.spec),
      },
    },
  };
}

type PodTemplate = NonNullable<KubernetesConfig['pod_template']>;

function podSpec(request: JobRequest, given: PodTemplate['spec']): V1PodSpec {
  const { containers = [], ...spec } = (given ?? {}) as Partial<V1PodSpec>;
  const others = containers.filter(({ name }) => name !== runContainer);
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: stopSeconds,
    ...spec,
    securityContext: { ...hardenedPod, ...spec.securityContext },
    restartPolicy: 'Never',
    containers: [
      runContainerOf(
        request,
        containers.find(({ name }) => name === runContainer),
      ),
      ...others,
    ],
    volumes: [
      ...(spec.volumes ?? []),
      { name: 'slash-agent-work', emptyDir: { sizeLimit: request.config.disk ?? '10Gi' } },
      {
        name: 'slash-agent-token',
        secret: { secretName: jobName(request), defaultMode: 0o440 },
      },
    ],
  };
}

function runContainerOf(
  { config, variables }: JobRequest,
  given: V1Container = { name: runContainer },
): V1Container {
  const ours = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const isOurs = ({ name }: { name: string }) => variables[name] !== undefined;
  return {
    // Put the end of the log into the pod's status. The service can then explain a failed start without the right to
    // read logs.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...given,
    securityContext: { ...hardenedContainer, ...given.securityContext },
    name: runContainer,
    image: config.image,
    // Keep the image's entry point, because it ends processes that agents leave running.
    args: ['run-one'],
    env: [...(given.env ?? []).filter((each) => !isOurs(each)), ...ours],
    volumeMounts: [
      ...(given.volumeMounts ?? []),
      { name: 'slash-agent-work', mountPath: workFolder, subPath: 'work' },
      { name: 'slash-agent-work', mountPath: '/tmp', subPath: 'tmp' },
      { name: 'slash-agent-token', mountPath: tokenFolder, readOnly: true },
    ],
  };
}

/**
 * Creates the secret with the run's token. The Job owns the secret, so Kubernetes deletes the secret together with the
 * Job.
 */
export function createTokenSecret(job: { name: string; uid: string }, token: string): V1Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name: job.name,
      labels: { 'app.kubernetes.io/managed-by': 'slash-agent' },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job.name, uid: job.uid }],
    },
    immutable: true,
    stringData: { token },
  };
}

/** Identifies a Job. A restarted run has a Job for each attempt. */
export type AttemptId = Pick<Attempt, 'runId' | 'attempt'>;

/** Label of the Job and its pod. The value is the Job's name. */
export const jobLabel = 'slash-agent/job';
const managedByUs = { 'app.kubernetes.io/managed-by': 'slash-agent' };
export const ourSelector = 'app.kubernetes.io/managed-by=slash-agent';

const shownCharacters = 36;

/**
 * Returns the name of a Job. It has at most 63 characters, because it's also a label's value. It contains the run's ID
 * without characters that names can't have, the attempt, and a hash. The hash distinguishes similar IDs.
 */
export function jobName({ runId, attempt }: AttemptId): string {
  const shown = runId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const hash = createHash('sha256').update(`${runId}\n${attempt}`).digest('hex').slice(0, 10);
  return `run-${trimmed(shown.slice(0, shownCharacters))}-${attempt}-${hash}`.replace(/-+/g, '-');
}

/** Converts text to a label's value, which has at most 63 characters and starts and ends with a letter or digit. */
const labelValue = (text: string) => trimmed(text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63));

const trimmed = (text: string) => text.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');

export function labelsOf(attempt: AttemptId, environmentId: string): Record<string, string> {
  return {
    ...managedByUs,
    'app.kubernetes.io/name': 'slash-agent-run',
    'slash-agent/environment': labelValue(environmentId),
    'slash-agent/run': labelValue(attempt.runId),
    [jobLabel]: jobName(attempt),
  };
}
