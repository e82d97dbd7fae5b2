import { expect, it } from 'vitest';
import { judgeAttempt } from '../../../src/remote/kubernetes/judge-attempt.ts';
import { jobSchema, podSchema } from '../../../src/remote/kubernetes/objects.ts';

const metadata = { name: 'run-1', uid: 'u1', resourceVersion: '1' };
const job = (
  given: { conditions?: object[]; suspend?: boolean; deletionTimestamp?: string } = {},
) =>
  jobSchema.parse({
    metadata: { ...metadata, ...given },
    spec: { suspend: given.suspend },
    status: { conditions: given.conditions },
  });
const pod = (status: object, nodeName = 'node-1') =>
  podSchema.parse({ metadata, spec: { nodeName }, status });
const inState = (state: object, phase = 'Pending') =>
  pod({ phase, containerStatuses: [{ name: 'run', image: 'acme/agents', state }] });
const ended = (reason: string, exitCode: number, message = '') =>
  inState({ terminated: { reason, exitCode, message } }, exitCode === 0 ? 'Succeeded' : 'Failed');
const disrupted = (reason: string, message = 'because') =>
  pod({
    phase: 'Running',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
  });
const failedJob = (reason: string) =>
  job({ conditions: [{ type: 'Failed', status: 'True', reason }] });

const unschedulable = {
  phase: 'Pending',
  conditions: [...[{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]].map(
    (each) => ({ ...each, message: '0/3 nodes are available: 3 Insufficient cpu.' }),
  ),
};
const evicted = (message: string) => pod({ phase: 'Failed', reason: 'Evicted', message });

it.each([
  ['no Job', undefined, [], 'missing', ''],
  ['a suspended Job', job({ suspend: true }), [], 'fine', ''],
  ['a Job without a pod', job(), [], 'starting', ''],
  ['a Job that is being deleted', job({ deletionTimestamp: 'now' }), [], 'fine', ''],
  ['a pod that nobody has looked at', job(), [pod({}, '')], 'fine', ''],
  [
    'a pod that is prepared',
    job(),
    [inState({ waiting: { reason: 'ContainerCreating' } })],
    'starting',
    '',
  ],
  ['a running pod', job(), [inState({ running: {} }, 'Running')], 'fine', ''],
  [
    'no room',
    job(),
    [pod(unschedulable, '')],
    'stuck',
    'No node of the cluster can take this run: 0/3 nodes are available: 3 Insufficient cpu. Run it again when',
  ],
  [
    'an image that is not there',
    job(),
    [inState({ waiting: { reason: 'ErrImagePull', message: 'not found' } })],
    'stuck',
    `The cluster can't pull the image acme/agents: not found. Check "image"`,
  ],
  [
    'an image name that is wrong',
    job(),
    [inState({ waiting: { reason: 'InvalidImageName' } })],
    'lost',
    `The cluster can't pull the image acme/agents. Check`,
  ],
  [
    'a container that is wrong',
    job(),
    [
      inState({
        waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' },
      }),
    ],
    'stuck',
    `The cluster can't start the container of this run: secret "x" not found. Check "pod_template"`,
  ],
  [
    'too little memory',
    job(),
    [ended('OOMKilled', 137)],
    'lost',
    'This run used more memory than its environment allows. Raise the memory limit',
  ],
  [
    'a lost node',
    job(),
    [disrupted('DeletionByTaintManager', 'node is unreachable')],
    'lost',
    'The cluster lost the node of this run: node is unreachable. You can run it again.',
  ],
  [
    'a node that is gone',
    job(),
    [disrupted('DeletionByPodGC')],
    'lost',
    'The cluster lost the node',
  ],
  [
    'a node that shuts down',
    job(),
    [pod({ phase: 'Failed', reason: 'Terminated' })],
    'lost',
    'The cluster lost the node',
  ],
  [
    'a lost node, as old clusters say it',
    job(),
    [pod({ phase: 'Running', reason: 'NodeLost' })],
    'lost',
    'The cluster lost the node',
  ],
  [
    'a drained node',
    job(),
    [disrupted('EvictionByEvictionAPI')],
    'lost',
    'The cluster evicted this run from its node: because. You',
  ],
  [
    'preemption',
    job(),
    [disrupted('PreemptionByScheduler')],
    'lost',
    'The cluster stopped this run to make room',
  ],
  [
    'eviction',
    job(),
    [evicted('The node was low on resource: memory.')],
    'lost',
    'The cluster evicted this run from its node: The node was low on resource: memory. You',
  ],
  [
    'a full disk',
    job(),
    [evicted('Usage of EmptyDir volume "work" exceeds the limit "10Gi".')],
    'lost',
    'This run used more disk than its environment allows',
  ],
  [
    'a node that is full after all',
    job(),
    [pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'Pod was rejected' })],
    'lost',
    'No node of the cluster can take this run: Pod was rejected.',
  ],
  [
    'the deadline',
    failedJob('DeadlineExceeded'),
    [],
    'lost',
    "This run didn't end at its time limit",
  ],
  [
    'a pod that was deleted',
    failedJob('BackoffLimitExceeded'),
    [],
    'stuck',
    'Someone deleted the pod of this run in the cluster.',
  ],
  [
    'a program that failed',
    failedJob('BackoffLimitExceeded'),
    [ended('Error', 1, 'first\nlast line\n')],
    'lost',
    'The process of this run ended with exit code 1 before it reported a result: first last line. Check the log',
  ],
  [
    'a program that said nothing',
    job({ conditions: [{ type: 'Complete', status: 'True' }] }),
    [ended('Completed', 0)],
    'lost',
    'ended with exit code 0 before',
  ],
  [
    'rubbish as words',
    job(),
    [ended('Error', 2, `\u202e<!channel>\u0000${'x'.repeat(9_999)}`)],
    'lost',
    'exit code 2',
  ],
] as const)('knows %s', (_name, given, pods, kind, sentence) => {
  const verdict = judgeAttempt({ job: given, pods });
  expect(verdict.kind).toBe(kind);
  const message = 'lost' in verdict ? (verdict.lost.end.status.message ?? '') : '';
  expect(message).toContain(sentence);
  expect(message.length).toBeLessThan(900);
  expect(message).not.toMatch(/[\p{Cc}\u202e]/u);
});
