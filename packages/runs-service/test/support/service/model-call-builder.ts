import { randomUUID } from 'node:crypto';
import type { NewModelCall, SettledCall } from '../../../src/store/model-calls.ts';
import { createRuns } from '../../../src/store/runs.ts';
import type { Db } from '../../../src/store/schema.ts';
import type { SpendCap } from '../../../src/store/spend-cap.ts';
import { aServiceRun } from './service-run-builder.ts';

export const callOwner = 'me';

/** Stores a run in progress, executed by `callOwner`. */
export async function anActiveRun(db: Db): Promise<string> {
  const runs = createRuns(db);
  const { id } = await runs.create(aServiceRun());
  const lease = { owner: callOwner, forMs: 1e6 };
  await runs.change(id, ['QUEUED'], { state: 'INPROGRESS', started_at: 1, lease });
  return id;
}

/** Returns a call that reserves ten cents. */
export function aCall(runId: string, more: Partial<NewModelCall> = {}): NewModelCall {
  return {
    id: randomUUID(),
    runId,
    environmentId: 'demo',
    labels: { workspace: undefined, person: 'ada', channel: undefined },
    spendKeys: [`run:${runId}`, 'environment:demo', 'person:ada'],
    provider: 'anthropic',
    api: 'anthropic',
    model: 'claude-opus-5-5',
    requestBytes: 1_000,
    estimateMicros: 100_000,
    owner: callOwner,
    leaseMs: 60_000,
    ...more,
  };
}

/** Returns the facts about a call that cost ten cents. */
export function aSettledCall(more: Partial<SettledCall> = {}): SettledCall {
  return {
    outcome: 'completed',
    status: 200,
    servedModel: 'claude-opus-5-5',
    usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    priceMicros: 100_000,
    priceEntry: 'anthropic/claude-opus-5-5',
    isEstimated: false,
    firstByteAt: undefined,
    responseBytes: 2_000,
    upstreamId: undefined,
    ...more,
  };
}

/** Returns a cap of one dollar a day. */
export function aCap(more: Partial<SpendCap> = {}): SpendCap {
  return {
    scope: 'person',
    setBy: 'operator',
    key: 'person:ada',
    name: 'Ada',
    limitMicros: 1_000_000,
    per: 'day',
    timeZone: 'UTC',
    ...more,
  };
}
