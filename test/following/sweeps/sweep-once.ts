/** Helpers that sweep a stub of the runs API once. */

import { createLogger } from 'base/logger';
import { createRunsClient } from 'runs-client';
import type { ListRunsQuery, Run } from 'runs-client/contract';
import { beforeEach } from 'vitest';
import { sweep } from '../../../src/following/sweeps/sweep.ts';
import type { Connection } from '../../../src/store/following/connections.ts';
import { createFollowedRunsStore } from '../../../src/store/following/followed-runs.ts';
import { createRequestLeases } from '../../../src/store/requests/request-leases.ts';
import type { Db } from '../../../src/store/schema.ts';
import { acceptDue } from '../../support/database/accept-due.ts';
import { startListStub } from '../list-stub.ts';

export const start = Date.parse('2026-11-01T12:00:00Z');
export const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const never = new AbortController().signal;

export const connection = (changes: Partial<Connection> = {}): Connection => ({
  id: 'default',
  version: 1,
  mode: 'changes',
  modeUntil: Number.POSITIVE_INFINITY,
  watermark: start,
  failures: 0,
  problem: null,
  problemShown: false,
  checkAt: Number.POSITIVE_INFINITY,
  checkedRunId: null,
  ...changes,
});

/** Filters and sorts runs like a runs API that supports the query. */
export const changed = (query: ListRunsQuery, runs: readonly Run[]) =>
  runs
    .filter((run) => run.updated_at > (query.updated_after ?? ''))
    .toSorted((a, b) => a.updated_at.localeCompare(b.updated_at));

/** Creates sweep helpers on the test's database, which is empty at first. */
export function createSweeping(database: () => Db) {
  beforeEach(async () => {
    await database().deleteFrom('requests').execute();
    await database().deleteFrom('connections').execute();
    const row = { id: 'default', mode: 'changes', version: 1 };
    await database().insertInto('connections').values(row).execute();
  });

  /** Stores requests that follow these runs in their current state. */
  async function follow(runs: readonly Run[]): Promise<void> {
    const leases = createRequestLeases(database());
    for (const run of runs) {
      const id = `request-of-${run.run_id}`;
      const asked = {
        teamId: 'T1',
        creatorId: 'U1',
        channelId: 'C1',
        prompt: 'p',
        title: 't',
        config: {},
      };
      await acceptDue(database(), { id, ...asked, acceptedAt: Date.now() });
    }
    for (const lease of await leases.claim('setup', 60_000, 1_000)) {
      const run = runs.find(({ run_id }) => lease.id === `request-of-${run_id}`);
      await leases.record(lease, {
        step: 'following',
        runId: run?.run_id ?? null,
        run: run ?? null,
      });
      await leases.release([{ lease, changes: {}, dueAt: null }]);
    }
  }

  async function sweepOnce(
    answers: Parameters<typeof startListStub>[0],
    known: Partial<Connection> = {},
    single?: Parameters<typeof startListStub>[1],
    aheadMs?: number,
  ) {
    const stub = await startListStub(answers, single, aheadMs);
    const client = createRunsClient({ baseUrl: stub.baseUrl, apiKey: 'key' });
    const followed = createFollowedRunsStore(database());
    const port = { runs: client.runs, isListening: () => false };
    const parts = { followed, ...port, logger: createLogger('silent') };
    const swept = await sweep(parts, connection(known), never);
    await client.close();
    const leases = createRequestLeases(database());
    const { queries, looks } = stub;
    return { ...swept, queries, looks, due: await leases.claim('test', 60_000, 1_000) };
  }

  return { follow, sweepOnce };
}
