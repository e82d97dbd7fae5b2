import { sql } from 'kysely';
import { expect } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import type { ListRunsResponse, Run } from '../../src/runs-api/contract.ts';
import type { Db } from '../../src/store/database.ts';
import type { StartedService } from '../support/runs-service.ts';
import { startApiProxy } from './api-proxy.ts';
import { createClosings, troubledChannels } from './closings.ts';
import { compare, countNotStarted } from './findings.ts';
import { letPeopleAsk } from './people.ts';
import { startPlant } from './plant.ts';
import { createRandom } from './random.ts';
import { crashReplicas, troubleSlack } from './trouble.ts';

const prompts = ['quick', 'quick', 'fail', 'slow'] as const;

export type SeedOptions = {
  program: string;
  database: 'SQLite' | 'PostgreSQL';
  replicas: number;
  seed: number;
  requests: number;
  people: number;
  /** Whether the bots keep to Slack's limits, as they do everywhere else. */
  isPaced: boolean;
  /** What the bots write; nowhere unless given. */
  log: string | undefined;
};

export type SeedResult = Awaited<ReturnType<typeof runSeed>>;

/** How long nothing may get better once the trouble is over: rare looks at quiet runs come after a minute. */
const patienceMs = 150_000;

/** One trial: people ask while everything breaks; then the trouble ends, and what is left must be true. */
export async function runSeed({
  seed,
  requests,
  people,
  replicas: count,
  ...options
}: SeedOptions) {
  const startedAt = Date.now();
  const random = createRandom(seed);
  const plant = await startPlant(options.database);
  const { workspace, service, db } = plant;
  const proxy = await startApiProxy(service.service.apiUrl, createRandom(seed + 1_000), 0.2);
  const changes = { RUNS_API_URL: proxy.apiUrl, ...(options.isPaced && { FAULT_BUDGET: 'on' }) };
  const replicas = Array.from({ length: count }, () =>
    plant.createReplica(options.program, changes, options.log),
  );
  for (const replica of replicas) replica.start();
  await plant.untilConnected();

  const calm = new AbortController();
  const endTrouble = troubleSlack(workspace, createRandom(seed + 2_000), 0.12);
  const crashing = crashReplicas(
    replicas,
    plant.untilConnected,
    createRandom(seed + 3_000),
    calm.signal,
  );
  const closings = createClosings(workspace, createRandom(seed + 4_000), requests);
  const asked = await letPeopleAsk({
    workspace,
    random,
    people,
    requests,
    channels: troubledChannels,
    prompts,
    another: () => closings.another(),
  });
  // The last requests are under way only now.
  await sleep(random.between(2_000, 5_000));
  calm.abort();
  proxy.calm();
  endTrouble();
  await closings.end();
  const crashes = await crashing;
  const leftOver = await untilQuiet(db, Date.now());
  const runs = await listAllRuns(service);
  const findings = compare(workspace, runs, asked);
  return {
    seed,
    requests: [...asked.values()].filter((each) => each === 'accepted').length,
    perhaps: [...asked.values()].filter((each) => each === 'perhaps').length,
    notStarted: countNotStarted(workspace),
    faults: { slack: workspace.faults.struck(), api: proxy.struck() },
    crashes,
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    findings: { ...findings, stuck: [...new Set([...findings.stuck, ...leftOver])] },
  };
}

/** Waits until nothing is left to do for any request. @returns the ids of those that come no further */
async function untilQuiet(db: Db, calmSince: number): Promise<string[]> {
  let deadlineMs = Date.now() + patienceMs;
  let fewest = Number.POSITIVE_INFINITY;
  for (;;) {
    if (Date.now() > calmSince + inFlightMs) await passTheLastLooks(db);
    const rows = await db
      .selectFrom('requests')
      .select('id')
      .where((row) =>
        row.or([
          row('step', 'in', ['accepted', 'posted', 'following']),
          row('due_at', 'is not', null),
          row('lease_owner', 'is not', null),
        ]),
      )
      .execute();
    if (rows.length < fewest) {
      fewest = rows.length;
      deadlineMs = Date.now() + patienceMs;
    }
    if (rows.length === 0 || Date.now() > deadlineMs) return rows.map(({ id }) => id);
    await sleep(250);
  }
}

/** Longer than any call of the trouble is on its way. */
const inFlightMs = 5_000;

/**
 * Nothing is on its way any more: the last look for doubles, half a minute after a post in doubt, is made now. It is made
 * all the same; only the wait for what cannot come is left out.
 */
async function passTheLastLooks(db: Db): Promise<void> {
  await db
    .updateTable('requests')
    .set({
      doubted_at: sql`doubted_at - 30000`,
      doubles_look_at: sql`doubles_look_at - 30000`,
      due_at: sql`doubles_look_at - 30000`,
    })
    .where('step', 'in', ['ended', 'not_started'])
    .where('lease_owner', 'is', null)
    .where('due_at', '=', sql<number>`doubles_look_at`)
    .where(sql<boolean>`doubles_look_at = doubted_at + 30000`)
    .where('doubles_look_at', '>', Date.now())
    .execute();
}

async function listAllRuns({ request }: StartedService): Promise<Run[]> {
  const runs: Run[] = [];
  for (let cursor = ''; ; ) {
    const answer = await request(`/agent/runs?limit=100${cursor && `&cursor=${cursor}`}`);
    const page = (await answer.json()) as ListRunsResponse;
    runs.push(...page.runs);
    if (!page.page_info.has_next_page) return runs;
    cursor = encodeURIComponent(page.page_info.next_cursor ?? '');
  }
}

/** Fails with the ids of the requests for which a promise was broken. */
export function expectAllKept({ findings }: SeedResult): void {
  for (const [promise, ids] of Object.entries(findings)) expect(ids, promise).toEqual([]);
}
