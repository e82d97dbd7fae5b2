import { createRuns } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

/** Duration of a lease, long enough that no test takes a third of it. */
export const leaseMs = 3_600_000;
const lease = (forMs: number) => ({ state: 'INPROGRESS', lease: { owner: 'me', forMs } }) as const;

/** Creates a run of the process `me`, with a lease of this duration. Returns its ID. */
export async function runHeldFor(db: Db, forMs: number): Promise<string> {
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  await runs.change(id, ['QUEUED'], lease(forMs));
  return id;
}

export const heldUntil = async (db: Db, id: string) =>
  (await createRuns(db).get(id))?.lease_until ?? 0;
