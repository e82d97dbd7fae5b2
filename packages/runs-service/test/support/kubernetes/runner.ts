import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import type { KubernetesConfig } from '../../../src/environments/kubernetes-config.ts';
import { connect } from '../../../src/remote/kubernetes/connect.ts';
import { createKubernetesApi } from '../../../src/remote/kubernetes/kubernetes-api.ts';
import {
  createKubernetesRunner,
  type KubernetesRunnerOptions,
} from '../../../src/remote/kubernetes/kubernetes-runner.ts';
import { temporaryFolder } from '../runs-service.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';

/** Starts a cluster that is stopped after the test. */
export async function testCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster(options);
  onTestFinished(() => cluster.stop());
  return cluster;
}

/** Starts a cluster with an image that has this program instead of ours. */
export async function clusterWith(program: string, options: ClusterOptions = {}): Promise<Cluster> {
  const app = temporaryFolder();
  mkdirSync(join(app, 'dist'));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(app, 'dist/slash-agent.js'), program);
  const image = {
    files: { '/app': app },
    workDir: '/app',
    entrypoint: ['node', 'dist/slash-agent.js'],
  };
  return await testCluster({ images: { 'slash-agent:test': image }, ...options });
}

/** Short timeouts for tests, in ms. */
export const briefly = { node: 300, image: 300, container: 300, end: 300, job: 300, pod: 300 };

export const runnerOf = (
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  options: Partial<KubernetesRunnerOptions> = {},
) =>
  createKubernetesRunner({
    api: async () => createKubernetesApi(await connect(kubeconfig)),
    logger: createLogger('silent'),
    timeouts: briefly,
    ...options,
  });

export const aDispatch = (
  runId: string,
  { config = {}, attempt = 1 }: { config?: Partial<KubernetesConfig>; attempt?: number } = {},
) => ({
  runId,
  attempt,
  token: `token-of-${runId}`,
  deadlineSeconds: 600,
  variables: { RUN_ID: runId, RUN_SERVICE_URL: 'http://service.example' },
  environment: {
    id: 'pods',
    command: ['agent'],
    repositories: [{ url: 'https://git.example/a/b' }],
    runner: 'kubernetes' as const,
    kubernetes: { image: 'slash-agent:test', ...config },
  },
});

/** Returns a signal that aborts after the test. */
export function testSignal(): AbortSignal {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller.signal;
}
