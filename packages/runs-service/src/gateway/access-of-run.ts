import type { ServiceEnvironment } from '../environments/environments.ts';
import { headersWithinMsOf } from '../harnesses/model-input.ts';
import type { StoredRun } from '../store/runs.ts';
import { capsOfRun } from './caps/caps-of-run.ts';
import { readStoredLimits } from './caps/stored-limits.ts';
import type { RunAccess } from './run-access.ts';

/** Returns what the gateway needs to know of a run, from its limits and its environment. */
export function accessOfRun(
  run: Pick<StoredRun, 'id' | 'creator_json' | 'limits_json'>,
  environment: ServiceEnvironment,
  {
    tokenHash,
    clock,
    note,
    onStopped,
    signal,
  }: Pick<RunAccess, 'tokenHash' | 'clock' | 'note' | 'onStopped' | 'signal'>,
): RunAccess {
  const { caps, spendKeys, labels } = capsOfRun(run, environment);
  return {
    runId: run.id,
    environmentId: environment.id,
    tokenHash,
    providers: environment.providers ?? [],
    models: readStoredLimits(run).models,
    caps,
    spendKeys,
    labels,
    headersWithinMs: headersWithinMsOf(environment.harness),
    clock,
    note,
    onStopped,
    signal,
  };
}
