import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase, openTestDatabase } from '../../support/databases.ts';
import { clusterForRuns, startServiceFor } from '../../support/kubernetes/service-in-cluster.ts';
import { startLosingProxy } from '../../support/network/losing-proxy.ts';
import { startRunsService } from '../../support/runs-service.ts';

/** Number of runs. The full trial is `KUBERNETES_RUNS=200 KUBERNETES_KILLS=20`. */
const runCount = Number(process.env['KUBERNETES_RUNS'] ?? 6);
const killCount = Number(process.env['KUBERNETES_KILLS'] ?? 2);

describe('runs in pods', () => {
  it('do what they do on one machine', async () => {
    const { cluster, environment } = await clusterForRuns(
      'echo two >> notes.txt; echo "All done."',
    );
    const { kubeconfig } = cluster;
    const service = await startRunsService({ environments: [environment], kubeconfig });
    const id = await service.begin({ prompt: 'Add a line.' });
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    expect(run).toMatchObject({ state: 'SUCCEEDED', status_message: { message: 'All done.' } });
    const patch = join(service.dataDir, 'transcripts', id, 'changes.patch');
    expect(readFileSync(patch, 'utf8')).toContain('+two');
    const [job] = cluster.jobs();
    expect(job?.metadata.annotations).toMatchObject({ 'slash-agent/run-id': id });
    await expect.poll(() => cluster.jobs()[0]?.status).toMatchObject({ succeeded: 1 });
  });

  it('are canceled with their pod, and keep what they changed', async () => {
    const { cluster, environment } = await clusterForRuns(
      'echo two >> notes.txt; echo working; sleep 600',
    );
    const { kubeconfig } = cluster;
    const service = await startRunsService({ environments: [environment], kubeconfig });
    const id = await service.begin({ prompt: 'Work.' });
    await service.printed(id, 'working');
    await service.request(`/agent/runs/${id}/cancel`, { method: 'POST' });
    await service.until(id, 'CANCELLED');
    const patch = join(service.dataDir, 'transcripts', id, 'changes.patch');
    expect(readFileSync(patch, 'utf8')).toContain('+two');
    await expect.poll(cluster.kubelet.count).toBe(0);
  });

  it('pass from one of two services on one PostgreSQL to the other, and run once', async () => {
    const { cluster, environment, gate } = await clusterForRuns(
      'cat >> notes.txt; echo before; while [ ! -e /gate/go ]; do sleep 0.1; done; echo after',
    );
    const url = await createPostgresDatabase();
    const proxy = await startLosingProxy();
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        const db = await openTestDatabase(url);
        onTestFinished(() => db.destroy());
        const { kubeconfig } = cluster;
        const place = { kubeconfig, serviceUrl: proxy.url };
        return startRunsService({ environments: [environment], db, ...place });
      }),
    );
    if (!first || !second) throw new Error('a service is missing');
    proxy.leadTo(first.service.url);
    const prompts = ['one', 'two', 'three', 'four'];
    const ids = await Promise.all(prompts.map((prompt) => first.begin({ prompt })));
    for (const id of ids) await first.printed(id, 'before');
    // Both services follow some runs. The one that stops has received reports of all runs.
    proxy.leadTo(second.service.url);
    await first.service.stop();
    const [canceled = '', ...others] = ids;
    await second.request(`/agent/runs/${canceled}/cancel`, { method: 'POST' });
    await second.until(canceled, 'CANCELLED');
    writeFileSync(join(gate, 'go'), '');
    for (const [index, id] of others.entries()) {
      expect((await second.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
      const file = (name: string) =>
        readFileSync(join(second.dataDir, 'transcripts', id, name), 'utf8');
      expect(file('changes.patch')).toContain(`+${prompts[index + 1]}`);
      expect(file('output.log')).toBe('before\nafter\n');
    }
    const executed = cluster
      .jobs()
      .map(({ metadata }) => metadata.annotations?.['slash-agent/run-id']);
    expect(executed.toSorted()).toEqual(ids.toSorted());
  });

  it('end in a true state when someone deletes their Job, or their pod runs out of memory', async () => {
    const { cluster, environment } = await clusterForRuns('echo working; sleep 600');
    const { kubeconfig } = cluster;
    const service = await startRunsService({ environments: [environment], kubeconfig });
    const ids = [await service.begin({ prompt: 'One.' }), await service.begin({ prompt: 'Two.' })];
    const [one = '', two = ''] = ids;
    for (const id of ids) await service.printed(id, 'working');
    const nameOf = (id: string, kind: 'jobs' | 'pods') =>
      cluster[kind]().find((each) => each.metadata.annotations?.['slash-agent/run-id'] === id);
    cluster.remove('Job', nameOf(one, 'jobs')?.metadata.name ?? '', 'Background');
    const pod = nameOf(two, 'pods');
    if (pod) cluster.kubelet.outOfMemory(pod);
    const [deleted, killed] = await Promise.all(ids.map((id) => service.until(id, 'FAILED')));
    expect(deleted?.status_message?.message).toMatch(/deleted the Job|was stopped/);
    expect(killed?.status_message?.message).toMatch(/^This run used more memory/);
  });

  it(`lose nothing and run once, ${runCount} of them, while the service is killed ${killCount} times`, async () => {
    const { cluster, environment } = await clusterForRuns(
      'sleep 1; cat; echo; echo two >> notes.txt',
    );
    const service = await startServiceFor(cluster, [{ ...environment, concurrency: 6 }]);
    const ids: string[] = [];
    for (let index = 0; index < runCount; index += 1)
      ids.push(await service.begin({ prompt: `number ${index}` }));
    const isOver = async (id: string) => (await service.get(id)).state === 'SUCCEEDED';
    for (let kill = 1; kill <= killCount; kill += 1) {
      const due = Math.floor((runCount * kill) / (killCount + 2));
      await expect.poll(() => cluster.jobs().length, { timeout: 250_000 }).toBeGreaterThan(due);
      await service.killAndRestart();
    }
    for (const id of ids) await expect.poll(() => isOver(id), { timeout: 250_000 }).toBe(true);
    const runs = await Promise.all(ids.map((id) => service.get(id)));
    expect(runs.map((run) => run.status_message?.message)).toEqual(
      ids.map((_, index) => `number ${index}`),
    );
    const executed = cluster
      .jobs()
      .map(({ metadata }) => metadata.annotations?.['slash-agent/run-id']);
    expect(executed.toSorted()).toEqual(ids.toSorted());
  });
});
