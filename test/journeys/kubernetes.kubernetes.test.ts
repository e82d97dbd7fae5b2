import { describe, expect, it } from 'vitest';
import { kubectl } from '../../packages/runs-service/test/support/kubernetes/kubectl.ts';
import { clusterForRuns } from '../../packages/runs-service/test/support/kubernetes/service-in-cluster.ts';
import {
  startRunsService,
  testKey,
} from '../../packages/runs-service/test/support/runs-service.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../support/product/product.ts';

describe('a run in a cluster', () => {
  it('that kubectl deletes ends in Slack with the truth', async () => {
    const { cluster, environment } = await clusterForRuns('echo working; sleep 600');
    const { kubeconfig } = cluster;
    const service = await startRunsService({
      environments: [{ ...environment, default: true }],
      kubeconfig,
    });
    const product = await startProduct();
    const { workspace, ada } = product;
    await product.startBot({ runsApi: { baseUrl: service.service.apiUrl, apiKey: testKey } });
    await ada.types(general, '/agent run tidy up');
    await runMessageShowing(workspace, 'In progress');
    const ask = (...args: string[]) => kubectl(cluster.adminConfig, ...args);
    const running = () => ask('get', 'pods', '--output', 'jsonpath={.items[*].status.phase}');
    await expect.poll(running).toBe('Running');
    const [job] = cluster.jobs();
    const runId = job?.metadata.annotations?.['slash-agent/run-id'] ?? '';
    await service.printed(runId, 'working');
    const name = (await ask('get', 'jobs', '--output', 'name')).trim();
    await ask('delete', name);
    const shown = textOf(await runMessageShowing(workspace, 'Failed'));
    expect(shown).toMatch(
      /Someone deleted the Job of this run in the cluster|was stopped from outside/,
    );
    expect(shown).not.toContain('In progress');
    expect((await service.get(runId)).state).toBe('FAILED');
    expect(runMessagesIn(workspace)).toHaveLength(1);
    await expect.poll(() => ask('get', 'jobs,pods,secrets', '--output', 'name')).toBe('');
  });
});
