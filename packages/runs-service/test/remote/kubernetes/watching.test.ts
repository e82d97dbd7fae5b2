import { describe, expect, it } from 'vitest';
import { jobName } from '../../../src/remote/kubernetes/job.ts';
import type { Cluster } from '../../support/kubernetes/cluster.ts';
import { aDispatch, runnerOf, testCluster, testSignal } from '../../support/kubernetes/runner.ts';

const noKubelet = { hasKubelet: false };

/** Watches an attempt and returns the message with which it's lost. */
async function watched(cluster: Cluster, runId: string, options = {}, dispatchOptions = {}) {
  const lost = await runnerOf(cluster, options).watch(
    aDispatch(runId, dispatchOptions),
    testSignal(),
  );
  return lost?.end.status.message;
}

async function dispatched(cluster: Cluster, runId: string, options = {}) {
  await runnerOf(cluster).dispatch(aDispatch(runId, options), testSignal());
  await expect.poll(() => cluster.pods().length).toBeGreaterThan(0);
}

/** Fails the pod of a run with this message, as a kubelet does. */
function fail(cluster: Cluster, runId: string, message: string): void {
  const name = jobName({ runId, attempt: 1 });
  const pod = cluster.pods().find((each) => each.metadata.labels?.['job-name'] === name);
  cluster.store.change('Pod', pod?.metadata.name ?? '', (each) => {
    each.status = { ...each.status, phase: 'Failed', reason: 'Evicted', message };
  });
}

describe('an attempt is lost', () => {
  it('when someone deletes its Job', async () => {
    const cluster = await testCluster(noKubelet);
    await dispatched(cluster, 'run-1');
    const message = watched(cluster, 'run-1');
    await expect.poll(cluster.server.watches).toBe(2);
    cluster.remove('Job', jobName(aDispatch('run-1')), 'Background');
    expect(await message).toBe(
      'Someone deleted the Job of this run in the cluster. You can run it again.',
    );
  });

  it('when its Job was deleted while nobody watched', async () => {
    const cluster = await testCluster(noKubelet);
    expect(await watched(cluster, 'run-1')).toContain('Someone deleted the Job');
  });

  it('when no node can take it, in the words of the scheduler', async () => {
    const cluster = await testCluster(noKubelet);
    const options = { config: { pod_template: { spec: { nodeSelector: { gpu: 'yes' } } } } };
    await dispatched(cluster, 'run-1', options);
    expect(await watched(cluster, 'run-1')).toContain(
      "No node of the cluster can take this run: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    );
    // The Job is deleted, because its pod would start on the next free node.
    await expect.poll(cluster.jobs).toEqual([]);
  });

  it('when the quota has no room for its pod', async () => {
    const cluster = await testCluster(noKubelet);
    cluster.faults.noPod =
      'exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4';
    await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    expect(await watched(cluster, 'run-1')).toMatch(
      /^The cluster's quota has no room .*limited: pods=4\. Run it again/,
    );
    await expect.poll(cluster.jobs).toEqual([]);
  });

  it("when a rule of the cluster doesn't allow its pod", async () => {
    const cluster = await testCluster(noKubelet);
    cluster.faults.noPod = 'violates PodSecurity "restricted:latest": hostPath volumes';
    await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    expect(await watched(cluster, 'run-1')).toMatch(
      /^The cluster doesn't allow the pod .*hostPath volumes\. Change/,
    );
  });
});

describe('watching', () => {
  it("survives closed watches and an API that's away, and finds what it missed", async () => {
    const cluster = await testCluster(noKubelet);
    await dispatched(cluster, 'run-1');
    const message = watched(cluster, 'run-1');
    await expect.poll(cluster.server.watches).toBe(2);
    cluster.server.closeWatches();
    await expect.poll(cluster.server.watches).toBe(2);
    await cluster.server.goAway();
    fail(cluster, 'run-1', 'no room');
    await cluster.server.comeBack();
    expect(await message).toContain('evicted this run from its node: no room');
    expect(cluster.jobs()).toHaveLength(1);
  });

  it('lists again when the history is gone', async () => {
    const cluster = await testCluster({ ...noKubelet, bookmarkMs: 600_000 });
    await dispatched(cluster, 'run-1');
    const message = watched(cluster, 'run-1');
    await expect.poll(cluster.server.watches).toBe(2);
    cluster.server.closeWatches();
    fail(cluster, 'run-1', 'no room');
    cluster.store.compact();
    expect(await message).toContain('no room');
  });

  it('hears of a change although the watch is silently dead', async () => {
    const cluster = await testCluster(noKubelet);
    await dispatched(cluster, 'run-1');
    const hangs = { method: 'GET', at: 'watch=true', how: 'hangs' } as const;
    cluster.server.faults.add(hangs, hangs);
    const message = watched(cluster, 'run-1', { relistMs: 300 });
    await expect.poll(cluster.server.faults.left).toBe(0);
    fail(cluster, 'run-1', 'no room');
    expect(await message).toContain('no room');
  });

  it('continues after rubbish, and ignores what others put under our label', async () => {
    const cluster = await testCluster(noKubelet);
    await dispatched(cluster, 'run-1');
    cluster.store.create({
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { nodeName: 7 as unknown as string },
      metadata: { name: 'other', labels: { 'app.kubernetes.io/managed-by': 'slash-agent' } },
    });
    const message = watched(cluster, 'run-1');
    await expect.poll(cluster.server.watches).toBe(2);
    fail(cluster, 'run-1', 'no room');
    expect(await message).toContain('no room');
  });

  it('ends with the signal, and then asks nothing more', async () => {
    const cluster = await testCluster(noKubelet);
    await dispatched(cluster, 'run-1');
    const stop = new AbortController();
    const end = runnerOf(cluster).watch(aDispatch('run-1'), stop.signal);
    await expect.poll(cluster.server.watches).toBe(2);
    stop.abort();
    expect(await end).toBeUndefined();
    await expect.poll(cluster.server.watches).toBe(0);
  });

  it('of 600 runs needs two watches, and a change costs no request', async () => {
    const cluster = await testCluster(noKubelet);
    const runner = runnerOf(cluster);
    const ids = Array.from({ length: 600 }, (_, index) => `run-${index}`);
    for (const runId of ids) {
      const name = jobName({ runId, attempt: 1 });
      const labels = { 'app.kubernetes.io/managed-by': 'slash-agent', 'slash-agent/job': name };
      const metadata = { name, labels };
      cluster.store.create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata,
        spec: { suspend: true },
      });
    }
    const ended: string[] = [];
    const stop = new AbortController();
    const all = ids.map(async (runId) => {
      const lost = await runner.watch(aDispatch(runId), stop.signal);
      if (lost) ended.push(runId);
    });
    await expect.poll(cluster.server.watches).toBe(2);
    const before = cluster.server.requests.length;
    // Five requests: a list of Jobs in two pages, a list of pods, and two watches.
    expect(before).toBe(5);
    for (const runId of ['run-3', 'run-500'])
      cluster.store.change('Job', jobName({ runId, attempt: 1 }), (job) => {
        const failed = { type: 'Failed', status: 'True', reason: 'DeadlineExceeded' };
        job.status = { conditions: [failed] };
      });
    await expect.poll(() => ended.toSorted()).toEqual(['run-3', 'run-500']);
    expect(cluster.server.requests.length).toBe(before);
    stop.abort();
    await Promise.all(all);
  });
});
