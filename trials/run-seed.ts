import type { ListRunsResponse, Run } from 'runs-client/contract';
import { expect } from 'vitest';
import { sleep } from '../src/lib/sleep.ts';
import { createStore } from '../src/store/store.ts';
import type { StartedService } from '../test/support/runs-service.ts';
import { startApiProxy } from './api-proxy.ts';
import { readSurprises } from './bot-log.ts';
import { createChannelFaults, troubledChannels } from './channel-faults.ts';
import { createCrashes } from './crashes.ts';
import { compare, countNotStarted, gatherEvidence } from './findings.ts';
import { letPeopleAsk } from './people.ts';
import { createRandom } from './random.ts';
import { channelOfReplies, compareActs, createRunActs, lastingPrompt } from './run-acts.ts';
import { injectSlackFaults } from './slack-faults.ts';
import { startTestBed } from './test-bed.ts';
import { untilIdle } from './until-idle.ts';

const prompts = ['quick', 'quick', 'fail', 'slow', lastingPrompt] as const;

export type SeedOptions = {
  program: string;
  database: 'SQLite' | 'PostgreSQL';
  replicas: number;
  seed: number;
  requests: number;
  people: number;
  /** Whether the bots respect Slack's rate limits, as in production. */
  isPaced: boolean;
  /** File for the logs of the bots. */
  log: string;
};

export type SeedResult = Awaited<ReturnType<typeof runSeed>>;

/** One trial: people start runs while everything breaks. Then the faults end, and the results are checked. */
export async function runSeed({
  seed,
  requests,
  people,
  replicas: count,
  ...options
}: SeedOptions) {
  const startedAt = Date.now();
  const random = createRandom(seed);
  const testBed = await startTestBed(options.database);
  const { workspace, service, serviceDb, db } = testBed;
  const proxy = await startApiProxy(service.service.apiUrl, createRandom(seed + 1_000), 0.2);
  const changes = { RUNS_API_URL: proxy.apiUrl, ...(options.isPaced && { FAULT_BUDGET: 'on' }) };
  const replicas = Array.from({ length: count }, () =>
    testBed.createReplica(options.program, changes, options.log),
  );
  for (const replica of replicas) replica.start();
  await testBed.untilConnected();
  const owner = { teamId: workspace.team.id, scope: 'channel', scopeId: channelOfReplies } as const;
  await createStore(db).settings.write(owner, 'runs.replies', true);

  const upAt = Date.now();
  const endSlackFaults = injectSlackFaults(workspace, createRandom(seed + 2_000), 0.12);
  const crashing = createCrashes(
    replicas,
    testBed.untilConnected,
    createRandom(seed + 3_000),
    requests,
  );
  const channelFaults = createChannelFaults(workspace, createRandom(seed + 4_000), requests);
  const acts = createRunActs(workspace, createRandom(seed + 5_000));
  const asked = await letPeopleAsk({
    workspace,
    random,
    people,
    requests,
    channels: troubledChannels,
    prompts,
    sent: ({ id, personId, prompt }) => {
      if (prompt === lastingPrompt) acts.add(id, workspace.as(personId));
    },
    another: () => {
      channelFaults.another();
      crashing.another();
    },
  });
  // Give the last requests time to start.
  await sleep(random.between(2_000, 5_000));
  await acts.done();
  const crashes = await crashing.end();
  proxy.calm();
  endSlackFaults();
  await channelFaults.end();
  const calmAt = Date.now();
  const over = new AbortController();
  const canceling = acts.cancelRest(over.signal);
  const leftOver = await untilIdle(db);
  over.abort();
  await canceling;
  const quietAt = Date.now();
  const runs = await listAllRuns(service);
  const stores = { bot: db, service: serviceDb };
  const { canceled, followUps, ...acted } = await compareActs(stores, acts.said());
  const compared = compare(workspace, runs, asked, canceled);
  const findings = { ...compared, ...acted, stuck: [...new Set([...compared.stuck, ...leftOver])] };
  return {
    seed,
    evidence: await gatherEvidence(workspace, db, findings),
    requests: [...asked.values()].filter((each) => each === 'accepted').length,
    perhaps: [...asked.values()].filter((each) => each === 'perhaps').length,
    notStarted: countNotStarted(workspace),
    cancels: canceled.length,
    stops: acts.stops(),
    followUps,
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

/** Fails with the ids of the requests that broke a promise. */
export function expectNoFindings({ findings }: SeedResult): void {
  for (const [promise, ids] of Object.entries(findings)) expect(ids, promise).toEqual([]);
}
