import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connect } from '../../../src/remote/kubernetes/connect.ts';
import { createKubernetesApi } from '../../../src/remote/kubernetes/kubernetes-api.ts';
import { createPreflight } from '../../../src/remote/kubernetes/preflight.ts';
import { readRights } from '../../support/kubernetes/api/rights.ts';
import type { Cluster } from '../../support/kubernetes/cluster.ts';
import { aDispatch, runnerOf, testCluster, testSignal } from '../../support/kubernetes/runner.ts';

const file = fileURLToPath(new URL('../../../../../deploy/kubernetes/rbac.yaml', import.meta.url));
const rights = readRights(file);

const problem = (cluster: Cluster, config = {}) =>
  runnerOf(cluster).problemOf(aDispatch('run-1', { config }).environment, testSignal());

it('the Role of deploy/kubernetes is enough for everything, and each of its rights is needed', async () => {
  const cluster = await testCluster({ hasKubelet: false, rights });
  const runner = runnerOf(cluster);
  expect(await problem(cluster)).toBeUndefined();
  expect(cluster.jobs()).toEqual([]);
  await runner.dispatch(aDispatch('run-1'), testSignal());
  await runner.dispatch(aDispatch('run-1'), testSignal());
  await expect.poll(cluster.pods).toHaveLength(1);
  const lost = runner.watch(aDispatch('run-1'), testSignal());
  await expect.poll(cluster.server.watches).toBe(2);
  await runner.cancel(aDispatch('run-1'));
  expect((await lost)?.end.status.message).toContain('Someone deleted the Job');

  cluster.faults.noPod = 'no';
  await runner.dispatch(aDispatch('run-2'), testSignal());
  const other = await runner.watch(aDispatch('run-2'), testSignal());
  expect(other?.end.status.message).toContain("The cluster doesn't allow the pod");
});

it('names the rights that are missing', async () => {
  const few = rights.map((rule) => ({
    ...rule,
    verbs: rule.verbs.filter((verb) => verb !== 'watch'),
  }));
  const cluster = await testCluster({ hasKubelet: false, rights: few });
  expect(await problem(cluster)).toBe(
    "the service isn't allowed to watch jobs, watch pods in the namespace agents. Give it the Role of deploy/kubernetes",
  );
});

it('finds mistakes in the template, and rejections of the cluster', async () => {
  const cluster = await testCluster({ hasKubelet: false });
  const pod_template = { spec: { tolerations: 'all' } };
  expect(await problem(cluster, { pod_template })).toMatch(/^The cluster rejected .*tolerations/);
  expect(await problem(cluster, { namespace: 'none' })).toMatch(
    /^The namespace none can't be used/,
  );
  cluster.faults.noJob = { code: 403, reason: 'Forbidden', message: 'exceeded quota: q' };
  expect(await problem(cluster)).toMatch(/^The cluster's quota has no room/);
});

it('says when there is no cluster, and what to do', async () => {
  const noApi = async () => createKubernetesApi(await connect('/nonexistent/kubeconfig'));
  const { environment } = aDispatch('run-1');
  expect(await createPreflight(noApi)(environment, testSignal())).toMatch(
    /^Can't read the kubeconfig: ENOENT/,
  );
});
