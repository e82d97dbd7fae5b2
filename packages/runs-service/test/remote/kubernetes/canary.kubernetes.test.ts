import { describe, expect, it } from 'vitest';
import { foundIn, startCanaryBed } from '../../sandbox-attacks/canary-bed.ts';
import { clusterForRuns } from '../../support/kubernetes/service-in-cluster.ts';

/** Starts a cluster and a service whose agents search their pods for the model's key. */
async function startBed(handedOver?: 'the old way') {
  const { cluster, environment } = await clusterForRuns('true');
  const { command: _, ...pods } = environment;
  const { kubeconfig } = cluster;
  const bed = await startCanaryBed(pods, handedOver, { kubeconfig });
  const objects = () =>
    ['Job', 'Pod', 'Secret', 'Event'].flatMap((kind) => cluster.store.list(kind));
  return { ...bed, objects };
}

describe('the key of a model', () => {
  it('is nowhere in a pod, and in no object of the cluster', async () => {
    const bed = await startBed();
    // Search twice, because the second run continues the memory of the first.
    for (const output of [await bed.search(), await bed.search()]) {
      expect(foundIn(output)).toEqual([]);
      expect(output).toContain('Herons fly.');
      expect(output).toContain('searched everything');
    }
    expect(new Set(bed.calls.map((headers) => headers['x-api-key']))).toEqual(new Set([bed.key]));
    expect(bed.filesWithKey()).toBe('');
    const kinds = new Set(bed.objects().map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['Job', 'Pod', 'Secret']));
    expect(JSON.stringify(bed.objects())).not.toContain(bed.key);
    expect(JSON.stringify(bed.objects())).not.toContain(Buffer.from(bed.key).toString('base64'));
  });

  it('is found in a pod by the same agent if it is handed over as a secret', async () => {
    const output = await (await startBed('the old way')).search();
    expect(foundIn(output)).toContain('FOUND in its environment');
  });
});
