import { describe, expect, it } from 'vitest';
import { kubernetesConfigSchema } from '../../../src/environments/kubernetes-config.ts';
import {
  createJob,
  createTokenSecret,
  jobName,
  labelsOf,
} from '../../../src/remote/kubernetes/job.ts';
import type { ClusterObject } from '../../support/kubernetes/api/object-store.ts';
import { whyInvalid } from '../../support/kubernetes/api/validation.ts';

const request = (config: object = {}, more: object = {}) => ({
  runId: 'run_1',
  attempt: 1,
  environmentId: 'pods',
  deadlineSeconds: 600,
  config: kubernetesConfigSchema.parse({ image: 'acme/agents:1', ...config }),
  variables: { RUN_ID: 'run_1', RUN_TOKEN_FILE: '/run/slash-agent/token' },
  ...more,
});

const podOf = (config: object = {}) => createJob(request(config)).spec?.template.spec;
const invalid = (config: object = {}) =>
  whyInvalid(createJob(request(config)) as unknown as ClusterObject);

describe('the name of a Job', () => {
  it.each([
    ['run_1', 1],
    ['3f0c9f2e-9f3b-4a57-8f7e-0a7c2b9d1e55', 12],
    ['-._/\n🙂', 1],
    ['A'.repeat(500), 3],
    ['a-'.repeat(200), 999_999],
    ['', 1],
  ])('is valid and short for %j', (runId, attempt) => {
    expect(jobName({ runId, attempt })).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])$/);
  });

  it('differs for runs with similar ids, and for attempts', () => {
    const ids = ['run_1', 'run-1', 'RUN-1', `${'x'.repeat(99)}1`, `${'x'.repeat(99)}2`];
    const names = [1, 11].flatMap((attempt) => ids.map((runId) => jobName({ runId, attempt })));
    expect(new Set(names).size).toBe(10);
  });

  it('comes with labels that the API takes', () => {
    const labels = labelsOf({ runId: `-${'é'.repeat(200)}`, attempt: 1 }, `e${'-'.repeat(63)}`);
    for (const value of Object.values(labels))
      expect(value).toMatch(/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/);
  });
});

describe('a Job', () => {
  it('fits the published schema, with any template', () => {
    expect(invalid()).toBeUndefined();
    const spec = {
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents', operator: 'Exists' }],
      serviceAccountName: 'agents',
      volumes: [{ name: 'cache', persistentVolumeClaim: { claimName: 'cache' } }],
      containers: [
        {
          name: 'run',
          resources: { limits: { memory: '4Gi' } },
          volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
        },
        { name: 'proxy', image: 'acme/proxy' },
      ],
    };
    const metadata = { labels: { team: 'web' }, annotations: { note: 'x' } };
    expect(invalid({ pod_template: { metadata, spec }, queue_name: 'q' })).toBeUndefined();
    expect(podOf({ pod_template: { metadata, spec } })).toMatchObject({
      nodeSelector: { pool: 'agents' },
      serviceAccountName: 'agents',
      containers: [
        { name: 'run', image: 'acme/agents:1', resources: { limits: { memory: '4Gi' } } },
        { name: 'proxy' },
      ],
    });
  });

  it('never runs twice, ends in time, and is cleaned up', () => {
    expect(createJob(request()).spec).toMatchObject({
      backoffLimit: 0,
      activeDeadlineSeconds: 2_400,
      ttlSecondsAfterFinished: 3_600,
      template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 9 } },
    });
  });

  it('is hardened', () => {
    expect(podOf()).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1_000,
        runAsGroup: 1_000,
        fsGroup: 1_000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
      volumes: [{ emptyDir: { sizeLimit: '10Gi' } }, { secret: { defaultMode: 0o440 } }],
    });
  });

  it('takes what the operator loosens, and only that', () => {
    const spec = {
      restartPolicy: 'Always',
      containers: [
        {
          name: 'run',
          image: 'other',
          args: ['sh'],
          securityContext: { readOnlyRootFilesystem: false },
          env: [
            { name: 'RUN_ID', value: 'other' },
            { name: 'CACHE', value: '/cache' },
          ],
        },
      ],
    };
    const pod = podOf({ pod_template: { metadata: { labels: { 'slash-agent/job': 'x' } }, spec } });
    expect(pod?.restartPolicy).toBe('Never');
    expect(pod?.containers[0]).toMatchObject({
      image: 'acme/agents:1',
      args: ['run-one'],
      securityContext: { readOnlyRootFilesystem: false, allowPrivilegeEscalation: false },
      env: [
        { name: 'CACHE', value: '/cache' },
        { name: 'RUN_ID', value: 'run_1' },
        { name: 'RUN_TOKEN_FILE' },
      ],
    });
  });

  it("waits for Kueue if there's a queue", () => {
    const job = createJob(request({ queue_name: 'agents' }));
    expect(job.spec?.suspend).toBe(true);
    expect(job.metadata?.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'agents' });
    expect(createJob(request()).spec?.suspend).toBeUndefined();
  });
});

it('puts the token into a Secret that belongs to the Job', () => {
  const secret = createTokenSecret({ name: 'run-1', uid: 'u1' }, 'secret-token');
  expect(whyInvalid(secret as unknown as ClusterObject)).toBeUndefined();
  expect(secret.metadata?.ownerReferences).toEqual([
    { apiVersion: 'batch/v1', kind: 'Job', name: 'run-1', uid: 'u1' },
  ]);
});

it.each([
  { image: '' },
  {},
  { image: 'a', queue_name: 'No Good' },
  { image: 'a', disk: 'much' },
  { image: 'a', pod_template: { spec: { containers: [{}] } } },
  { image: 'a', pod_template: { kind: 'Pod' } },
  { image: 'a', node_wait_seconds: 0 },
])('rejects the configuration %j', (config) => {
  expect(kubernetesConfigSchema.safeParse(config).success).toBe(false);
});
