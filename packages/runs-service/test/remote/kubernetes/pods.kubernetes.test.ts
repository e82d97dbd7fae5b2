import { describe, expect, it } from 'vitest';
import { jobName } from '../../../src/remote/kubernetes/job.ts';
import type { Cluster } from '../../support/kubernetes/cluster.ts';
import {
  aDispatch,
  briefly,
  clusterWith,
  runnerOf,
  testSignal,
} from '../../support/kubernetes/runner.ts';

const waits =
  'setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit(0)); console.log("ready");';

async function running(cluster: Cluster, runId: string, config = {}) {
  await runnerOf(cluster).dispatch(aDispatch(runId, { config }), testSignal());
  const podOf = () =>
    cluster.pods().find((each) => each.metadata.labels?.['slash-agent/run'] === runId);
  await expect.poll(() => podOf()?.status?.['phase']).toBe('Running');
  const pod = podOf();
  // Wait until the process listens, because it can't handle signals earlier.
  await expect.poll(() => pod && cluster.kubelet.log(pod).toString()).toContain('ready');
  if (!pod) throw new Error('the pod is gone');
  return pod;
}

const lostMessage = async (cluster: Cluster, runId: string, timeouts = briefly) =>
  (await runnerOf(cluster, { timeouts }).watch(aDispatch(runId), testSignal()))?.end.status.message;

describe('pods', () => {
  it('get the token as a file, no rights, and two folders to write to', async () => {
    const cluster = await clusterWith(`
      import { readFileSync, writeFileSync } from 'node:fs';
      const can = (path) => { try { writeFileSync(path, 'x'); return path; } catch { return ''; } };
      const status = readFileSync('/proc/self/status', 'utf8');
      console.log(JSON.stringify({
        token: readFileSync(process.env.RUN_TOKEN_FILE, 'utf8'),
        written: ['/work/a', '/tmp/a', '/a', '/app/a', '/run/slash-agent/a'].filter(can),
        ids: [process.getuid(), process.getgid()],
        capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
        data: process.env.DATA_DIR, run: process.env.RUN_ID, names: Object.keys(process.env).sort(),
      }));
      process.exitCode = 3;
    `);
    await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    const message = (await lostMessage(cluster, 'run-1')) ?? '';
    expect(message).toContain('ended with exit code 3 before');
    expect(JSON.parse(/\{.*\}/.exec(message)?.[0] ?? '{}')).toEqual({
      token: 'token-of-run-1',
      written: ['/work/a', '/tmp/a'],
      ids: [1_000, 1_000],
      capabilities: '0000000000000000',
      data: '/work',
      run: 'run-1',
      names: ['DATA_DIR', 'HOME', 'PATH', 'RUN_ID', 'RUN_SERVICE_URL', 'RUN_TOKEN_FILE']
        .concat(['PWD'])
        .sort(),
    });
  });

  it('wait for a Secret that comes late', async () => {
    const cluster = await clusterWith(waits);
    const { faults } = cluster.server;
    const at = '/secrets';
    faults.add(
      { method: 'POST', at, how: { status: 503 } },
      { method: 'POST', at, how: { status: 503 } },
    );
    await running(cluster, 'run-1');
    expect(cluster.store.list('Event').map(({ reason }) => reason)).toContain('FailedMount');
  });

  it('are gone when a cancel has ended', async () => {
    const cluster = await clusterWith(waits);
    const pod = await running(cluster, 'run-1');
    await runnerOf(cluster).cancel(aDispatch('run-1'));
    expect([cluster.pods(), cluster.kubelet.isRunning(pod)]).toEqual([[], false]);
    await expect.poll(() => [cluster.jobs(), cluster.store.list('Secret')]).toEqual([[], []]);
    await runnerOf(cluster).cancel(aDispatch('run-1'));
  });

  it("are killed when they don't heed a cancel", async () => {
    const cluster = await clusterWith(
      'setInterval(() => {}, 1000); process.on("SIGTERM", () => {}); console.log("ready");',
    );
    const config = { pod_template: { spec: { terminationGracePeriodSeconds: 1 } } };
    await running(cluster, 'run-1', config);
    await runnerOf(cluster).cancel(aDispatch('run-1'));
    expect(cluster.pods()).toEqual([]);
  });

  it.each([
    [
      'evicted',
      (cluster: Cluster, pod) =>
        cluster.kubelet.evict(pod, 'The node was low on resource: memory.'),
      'The cluster evicted this run from its node: The node was low on resource: memory.',
    ],
    [
      'lost with their node',
      (cluster: Cluster) => cluster.kubelet.loseNode('node-1'),
      'The cluster lost the node of this run: Taint manager: deleting due to NoExecute taint. You',
    ],
    [
      'out of memory',
      (cluster: Cluster, pod) => cluster.kubelet.outOfMemory(pod),
      'This run used more memory',
    ],
    [
      'deleted',
      (cluster: Cluster, pod) => cluster.remove('Pod', pod.metadata.name, 'Background'),
      'pod',
    ],
  ] as [string, (cluster: Cluster, pod: Awaited<ReturnType<typeof running>>) => void, string][])(
    'that are %s end the run with the reason',
    async (_name, harm, sentence) => {
      const cluster = await clusterWith(waits);
      const pod = await running(cluster, 'run-1');
      const message = lostMessage(cluster, 'run-1');
      harm(cluster, pod);
      expect(await message).toContain(sentence);
    },
  );

  it('without their image end the run in the words of the kubelet', async () => {
    const cluster = await clusterWith(waits);
    const config = { image: 'acme/none:1' };
    await runnerOf(cluster).dispatch(aDispatch('run-1', { config }), testSignal());
    expect(await lostMessage(cluster, 'run-1')).toMatch(
      /^The cluster can't pull the image acme\/none:1: .*failed to pull and unpack image "acme\/none:1": not found\. Check/,
    );
  });

  it('without a volume end the run in the words of the kubelet', async () => {
    const cluster = await clusterWith(waits);
    const spec = { volumes: [{ name: 'keys', secret: { secretName: 'none' } }] };
    const config = { pod_template: { spec } };
    await runnerOf(cluster).dispatch(aDispatch('run-1', { config }), testSignal());
    expect(await lostMessage(cluster, 'run-1')).toMatch(
      /^The cluster can't prepare the pod .*secret "none" not found\. Check the volumes/,
    );
  });

  it('end at the deadline', async () => {
    const cluster = await clusterWith(waits);
    const dispatch = { ...aDispatch('run-1'), deadlineSeconds: -1_799 };
    await runnerOf(cluster).dispatch(dispatch, testSignal());
    expect(await lostMessage(cluster, 'run-1')).toContain("This run didn't end at its time limit");
    await expect.poll(cluster.pods).toEqual([]);
  });

  it('end with their Job', async () => {
    const cluster = await clusterWith(waits);
    const pod = await running(cluster, 'run-1');
    cluster.remove('Job', jobName(aDispatch('run-1')), 'Background');
    await expect.poll(cluster.kubelet.count).toBe(0);
    expect(cluster.pods()).not.toContainEqual(pod);
  });
});
