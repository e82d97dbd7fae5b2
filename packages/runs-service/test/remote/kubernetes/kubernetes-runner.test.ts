import { describe, expect, it } from 'vitest';
import { jobName } from '../../../src/remote/kubernetes/job.ts';
import { aDispatch, runnerOf, testCluster, testSignal } from '../../support/kubernetes/runner.ts';

const noKubelet = { hasKubelet: false };

describe('dispatching', () => {
  it('creates a Job, and a Secret that goes with it', async () => {
    const cluster = await testCluster(noKubelet);
    const dispatch = aDispatch('run-1');
    expect(await runnerOf(cluster).dispatch(dispatch, testSignal())).toBeUndefined();
    const [job] = cluster.jobs();
    expect(JSON.stringify(job)).not.toContain(dispatch.token);
    const [secret] = cluster.store.list('Secret');
    expect(secret).toMatchObject({
      data: { token: Buffer.from(dispatch.token).toString('base64') },
      metadata: { ownerReferences: [{ kind: 'Job', uid: job?.metadata.uid }] },
    });
    await expect.poll(cluster.pods).toHaveLength(1);
  });

  it('can be repeated', async () => {
    const cluster = await testCluster(noKubelet);
    for (const runner of [runnerOf(cluster), runnerOf(cluster), runnerOf(cluster)])
      expect(await runner.dispatch(aDispatch('run-1'), testSignal())).toBeUndefined();
    expect(cluster.jobs()).toHaveLength(1);
    expect(cluster.store.list('Secret')).toHaveLength(1);
  });

  it('creates one Job and one Secret despite lost replies, rejections and failures', async () => {
    const cluster = await testCluster(noKubelet);
    const { faults } = cluster.server;
    const method = 'POST';
    const hows = [
      ['/jobs', 'lost reply'],
      ['/jobs', 'rejected'],
      ['/jobs', { status: 503 }],
      ['/secrets', 'lost reply'],
      ['/secrets', { status: 429, retryAfter: 1 }],
    ] as const;
    for (const [at, how] of hows) faults.add({ method, at, how });
    expect(await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal())).toBeUndefined();
    expect(faults.left()).toBe(0);
    expect(cluster.jobs()).toHaveLength(1);
    expect(cluster.store.list('Secret')).toHaveLength(1);
  });

  it("doesn't take the Job of someone else for its own", async () => {
    const cluster = await testCluster(noKubelet);
    const dispatch = aDispatch('run-1');
    await runnerOf(cluster).dispatch(dispatch, testSignal());
    cluster.store.change('Job', jobName(dispatch), (job) => {
      job.metadata.annotations = { 'slash-agent/run-id': 'other' };
    });
    const lost = await runnerOf(cluster).dispatch(dispatch, testSignal());
    expect(lost?.end.status.message).toContain('already exists');
  });

  it.each([
    [
      { code: 403, reason: 'Forbidden', message: 'jobs.batch "x" is forbidden: exceeded quota: q' },
      /^The cluster's quota has no room for this run: jobs.batch "x" is forbidden: exceeded quota: q\. Run it again/,
    ],
    [
      {
        code: 400,
        reason: 'BadRequest',
        message: 'admission webhook "a.b" denied the request: no',
      },
      /^The cluster rejected the Job of this run: admission webhook "a.b" denied the request: no\. Change/,
    ],
    [
      { code: 404, reason: 'NotFound', message: 'namespaces "agents" not found' },
      /^The namespace agents can't be used: namespaces "agents" not found\. Create it/,
    ],
  ])('says what to do when the cluster rejects: %j', async (rejection, sentence) => {
    const cluster = await testCluster(noKubelet);
    cluster.faults.noJob = rejection;
    const lost = await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    expect(lost?.end.status.message).toMatch(sentence);
    expect(cluster.jobs()).toEqual([]);
  });

  it('says what is wrong with the template', async () => {
    const cluster = await testCluster(noKubelet);
    const config = { pod_template: { spec: { toleration: [] } } };
    const lost = await runnerOf(cluster).dispatch(aDispatch('run-1', { config }), testSignal());
    expect(lost?.end.status.message).toContain('unknown field "spec.template.spec.toleration"');
  });

  it('leaves no Job behind when it may not create the Secret', async () => {
    const rights = [
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'delete', 'get'] },
    ];
    const cluster = await testCluster({ ...noKubelet, rights });
    const lost = await runnerOf(cluster).dispatch(aDispatch('run-1'), testSignal());
    expect(lost?.end.status.message).toMatch(
      /isn't allowed to create a Secret .* deploy\/kubernetes/,
    );
    await expect.poll(cluster.jobs).toEqual([]);
    await expect.poll(cluster.pods).toEqual([]);
  });
});
