import { expect, it } from 'vitest';
import { createQueueStore } from '../../src/store/queued-runs.ts';
import { createRunLeases } from '../../src/store/run-leases.ts';
import { createRuns } from '../../src/store/runs.ts';
import { describeOnDatabase } from '../support/databases.ts';
import { heldUntil, leaseMs, runHeldFor } from './held-run.ts';

describeOnDatabase('leases of runs', (db) => {
  it('are renewed when a third of their time is over', async () => {
    const [fresh, older] = [await runHeldFor(db(), leaseMs), await runHeldFor(db(), leaseMs / 2)];
    const [freshUntil, olderUntil] = [await heldUntil(db(), fresh), await heldUntil(db(), older)];
    await createQueueStore(db()).renewLeases('me', leaseMs);
    expect(await heldUntil(db(), fresh)).toBe(freshUntil);
    expect(await heldUntil(db(), older)).toBeGreaterThan(olderUntil + leaseMs / 4);
  });

  it('let nobody else end a run', async () => {
    const runs = createRuns(db());
    const id = await runHeldFor(db(), leaseMs);
    const endBy = (owner: string) =>
      runs.change(id, ['INPROGRESS'], { state: 'FAILED', lease: null }, owner);
    expect(await endBy('another')).toBeUndefined();
    await createRunLeases(db()).handBack(id, 'another', 'Returned to the queue');
    expect(await runs.get(id)).toMatchObject({ state: 'INPROGRESS', lease_owner: 'me' });
    expect(await endBy('me')).toMatchObject({ state: 'FAILED' });
  });
});
