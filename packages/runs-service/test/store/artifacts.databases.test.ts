import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createArtifactStore, type StoredArtifact } from '../../src/store/artifacts.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

const plan = (runId: string, number: number, text: string): StoredArtifact => ({
  uid: randomUUID(),
  runId,
  number,
  artifactType: 'PLAN',
  data: { text },
  createdAt: 1_000,
});

describeOnDatabase('artifacts of runs', (db) => {
  async function aRunOf(owner: string): Promise<string> {
    const { id } = await createRuns(db()).create(aServiceRun({ idempotency_key: randomUUID() }));
    const active = { state: 'INPROGRESS', lease_owner: owner };
    await db().updateTable('service_runs').set(active).where('id', '=', id).execute();
    return id;
  }
  const textsOf = async (...ids: string[]) => {
    const found = await createArtifactStore(db()).ofRuns(ids);
    return ids.map((id) => found.get(id)?.map(({ data }) => data.text));
  };

  it('are replaced as a whole, in order, only by the process that has the run', async () => {
    const store = createArtifactStore(db());
    const [one, two] = [await aRunOf('me'), await aRunOf('me')];
    await store.replace(one, 'me', [plan(one, 1, 'b'), plan(one, 0, 'a')]);
    expect(await textsOf(one, two)).toEqual([['a', 'b'], undefined]);
    await store.replace(one, 'other', [plan(one, 0, 'of another')]);
    expect(await textsOf(one)).toEqual([['a', 'b']]);
    const again = plan(one, 0, 'c');
    // Call twice, as if the first answer was lost.
    for (const _ of [1, 2]) await store.replace(one, 'me', [again]);
    expect(await textsOf(one)).toEqual([['c']]);
    expect(await store.get(again.uid)).toEqual(again);
    expect(await store.get('none')).toBeUndefined();
    await store.replace(one, 'me', []);
    expect(await textsOf(one)).toEqual([undefined]);
  });

  it('are not added to a run that has ended', async () => {
    const store = createArtifactStore(db());
    const id = await aRunOf('me');
    await db().updateTable('service_runs').set({ state: 'FAILED' }).where('id', '=', id).execute();
    await store.replace(id, 'me', [plan(id, 0, 'late')]);
    expect(await textsOf(id)).toEqual([undefined]);
  });

  it('are deleted by their age', async () => {
    const store = createArtifactStore(db());
    const id = await aRunOf('me');
    await store.replace(id, 'me', [plan(id, 0, 'a')]);
    await store.deleteBefore(1_000);
    expect(await textsOf(id)).toEqual([['a']]);
    await store.deleteBefore(1_001);
    expect(await textsOf(id)).toEqual([undefined]);
  });
});
