import { createModelCalls } from '../../../src/store/model-calls.ts';
import type { Db } from '../../../src/store/schema.ts';
import { aCapState } from './cap-builder.ts';
import { aCall, aSettledCall, callOwner } from './model-call-builder.ts';

/** Lets a run make a call that costs $5.00, which is its cap. */
export async function useUpCap(db: Db, runId: string): Promise<void> {
  const calls = createModelCalls(db);
  const { cap } = aCapState({ cap: { key: `run:${runId}` } });
  const call = aCall(runId, { spendKeys: [cap.key] });
  await calls.reserve(call, [cap]);
  await calls.settle(call.id, callOwner, aSettledCall({ priceMicros: cap.limitMicros }));
}

/** Returns the amounts that were allowed in addition to the caps of a run, by the one who set them. */
export async function allowedOf(db: Db, runId: string) {
  const row = await db
    .selectFrom('service_spend')
    .selectAll()
    .where('key', '=', `run:${runId}`)
    .executeTakeFirstOrThrow();
  return { operator: row.allowed, caller: row.caller_allowed };
}
