import type { ListRunsResponse, Run } from 'runs-client/contract';
import { expect } from 'vitest';
import { sleep } from '../src/lib/sleep.ts';
import type { StartedService } from '../test/support/runs-service.ts';
import { startApiProxy } from './api-proxy.ts';
import { readSurprises } from './bot-log.ts';
import { createClosings, troubledChannels } from './closings.ts';
import { createCrashes } from './crashes.ts';
import { compare, countNotStarted, gatherEvidence } from './findings.ts';
import { letPeopleAsk } from './people.ts';
import { startPlant } from './plant.ts';
import { untilQuiet } from './quiet.ts';
import { createRandom } from './random.ts';
import { troubleSlack } from './trouble.ts';

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
  /** Where what the bots write goes. */
  log: string;
};

export type SeedResult = Awaited<ReturnType<typeof runSeed>>;

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

  const upAt = Date.now();
  const endTrouble = troubleSlack(workspace, createRandom(seed + 2_000), 0.12);
  const crashing = createCrashes(
    replicas,
    plant.untilConnected,
    createRandom(seed + 3_000),
    requests,
  );
  const closings = createClosings(workspace, createRandom(seed + 4_000), requests);
  const asked = await letPeopleAsk({
    workspace,
    random,
    people,
    requests,
    channels: troubledChannels,
    prompts,
    another: () => {
      closings.another();
      crashing.another();
    },
  });
  // The last requests are under way only now.
  await sleep(random.between(2_000, 5_000));
  const crashes = await crashing.end();
  proxy.calm();
  endTrouble();
  await closings.end();
  const calmAt = Date.now();
  const leftOver = await untilQuiet(db);
  const quietAt = Date.now();
  const runs = await listAllRuns(service);
  const compared = compare(workspace, runs, asked);
  const findings = { ...compared, stuck: [...new Set([...compared.stuck, ...leftOver])] };
  return {
    seed,
    evidence: await gatherEvidence(workspace, db, findings),
    requests: [...asked.values()].filter((each) => each === 'accepted').length,
    perhaps: [...asked.values()].filter((each) => each === 'perhaps').length,
    notStarted: countNotStarted(workspace),
    faults: { slack: workspace.faults.struck(), api: proxy.struck() },
    crashes,
    seconds: {
      asking: inSeconds(calmAt - upAt),
      settling: inSeconds(quietAt - calmAt),
      all: inSeconds(Date.now() - startedAt),
    },
    findings: {
      ...findings,
      surprises: [
        ...readSurprises(options.log),
        ...replicas.flatMap(({ endedAlone }) => Array<string>(endedAlone).fill('ended alone')),
      ],
    },
  };
}

const inSeconds = (ms: number) => Math.round(ms / 1_000);

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
