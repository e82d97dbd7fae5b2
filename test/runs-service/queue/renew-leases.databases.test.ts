import { expect, it } from 'vitest';
import { createServiceRunQueue } from '../../../src/store/service/runs/service-run-queue.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';
import { heldUntil, leaseMs, runHeldFor } from './held-run.ts';

describeOnDatabase('leases of runs', (db) => {
  it('are renewed when a third of their time is over', async () => {
    const [fresh, older] = [await runHeldFor(db(), leaseMs), await runHeldFor(db(), leaseMs / 2)];
    const [freshUntil, olderUntil] = [await heldUntil(db(), fresh), await heldUntil(db(), older)];
    await createServiceRunQueue(db()).renewLeases('me', leaseMs);
    expect(await heldUntil(db(), fresh)).toBe(freshUntil);
    expect(await heldUntil(db(), older)).toBeGreaterThan(olderUntil + leaseMs / 4);
  });
});
