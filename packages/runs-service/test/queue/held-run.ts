import { createRuns } from '../../src/store/runs.ts';
import type { Db } from '../../src/store/schema.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';

/** Long enough that no test takes a third of it. */
export const leaseMs = 3_600_000;
const lease = (forMs: number) => ({ state: 'INPROGRESS', lease: { owner: 'me', forMs } }) as const;

/** A run of the process `me`, with a lease for so long. @returns its id */
export async function runHeldFor(db: Db, forMs: number): Promise<string> {
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  await runs.change(id, ['QUEUED'], lease(forMs));
  return id;
}

export const heldUntil = async (db: Db, id: string) =>
  (await createRuns(db).get(id))?.lease_until ?? 0;
