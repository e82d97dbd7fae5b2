import { sleep } from 'base/sleep';
import type { ListRunsResponse, Run } from 'runs-client/contract';
import { expect } from 'vitest';
import type { StartedService } from '../packages/runs-service/test/support/runs-service.ts';
import type { Rule } from '../src/policy/policy.ts';
import { rulesKey } from '../src/policy/stored-rules.ts';
import { createStore } from '../src/store/store.ts';
import { compareActs, compareAnswers } from './act-findings.ts';
import { startApiProxy } from './api-proxy.ts';
import { readSurprises } from './bot-log.ts';
import type { BotProcess } from './bot-process.ts';
import { createChannelFaults, troubledChannels } from './channel-faults.ts';
import { createCrashes } from './crashes.ts';
import { compare, countNotStarted, gatherEvidence } from './findings.ts';
import { createOutsiders, findOutsiders, sharedChannel } from './outsiders.ts';
import { addPerson, letPeopleAsk } from './people.ts';
import { createRandom } from './random.ts';
import { channelOfReplies, createRunActs } from './run-acts.ts';
import { injectSlackFaults, loseScopes } from './slack-faults.ts';
import { startTestBed, type TestBed } from './test-bed.ts';
import { untilIdle } from './until-idle.ts';
import { logUpdates } from './update-log.ts';

const channels = [...troubledChannels, sharedChannel] as const;
const prompts = ['quick', 'quick', 'fail', 'slow', 'stay', 'env=asking ask'] as const;

/** Breaks something big once, and repairs it. */
export type Strike = (struck: {
  replicas: readonly BotProcess[];
  /** Starts one more replica of the bot. */
  another(): BotProcess;
  untilConnected: TestBed['untilConnected'];
}) => Promise<void>;

export type SeedOptions = {
  program: string;
  database: 'SQLite' | 'PostgreSQL';
  replicas: number;
  seed: number;
  requests: number;
  people: number;
  /** True if the bots respect Slack's rate limits, as in production. */
  isPaced: boolean;
  /** Path of the file for the bots' logs. */
  log: string;
  /** Runs when a third of the requests is accepted. */
  strike?: Strike | undefined;
  databaseUrl?: string | undefined;
  /** Errors that the bots can log in this trial. */
  expected?: RegExp | undefined;
};

export type SeedResult = Awaited<ReturnType<typeof runSeed>>;

/** Runs one trial: people start runs while everything breaks. Then the faults end, and the results are checked. */
export async function runSeed({
  seed,
  requests,
  people,
  replicas: count,
  ...options
}: SeedOptions) {
  const startedAt = Date.now();
  const random = createRandom(seed);
  const isForOrganization = seed % 2 === 1;
  const testBed = await startTestBed(options.database, options.databaseUrl, isForOrganization);
  const { workspace, service, serviceDb, db } = testBed;
  const proxy = await startApiProxy(service.service.apiUrl, createRandom(seed + 1_000), 0.2);
  const changes = { RUNS_API_URL: proxy.apiUrl, ...(options.isPaced && { FAULT_BUDGET: 'on' }) };
  const another = () => testBed.createReplica(options.program, changes, options.log);
  const replicas = Array.from({ length: count }, another);
  for (const replica of replicas) replica.start();
  await testBed.untilConnected();
  const answererIds = [
    addPerson(workspace, people, channels),
    addPerson(workspace, people + 1, channels),
  ] as const;
  await writeSettings(testBed, answererIds);

  const { updatesOf } = logUpdates(workspace);
  const upAt = Date.now();
  const endSlackFaults = injectSlackFaults(workspace, createRandom(seed + 2_000), 0.12);
  const endLostScopes = loseScopes(workspace, createRandom(seed + 6_000), 0.01);
  const crashing = createCrashes(
    replicas,
    testBed.untilConnected,
    createRandom(seed + 3_000),
    requests,
  );
  const channelFaults = createChannelFaults(workspace, createRandom(seed + 4_000), requests);
  const [one, other] = answererIds;
  const answerers = [workspace.as(one), workspace.as(other)] as const;
  const acts = createRunActs(workspace, createRandom(seed + 5_000), answerers);
  const outsiders = createOutsiders(workspace, createRandom(seed + 6_000));
  let accepted = 0;
  let striking: Promise<void> | undefined;
  const asked = await letPeopleAsk({
    workspace,
    random,
    people,
    requests,
    channels,
    prompts,
    sent: ({ id, personId, prompt }) => acts.add(id, workspace.as(personId), prompt),
    another: () => {
      channelFaults.another();
      crashing.another();
      outsiders.another();
      accepted += 1;
      if (accepted === Math.ceil(requests / 3))
        striking = options.strike?.({ replicas, another, ...testBed });
    },
  });
  // Give the last requests time to start.
  await sleep(random.between(2_000, 5_000));
  await acts.done();
  await outsiders.done();
  await striking;
  const crashes = await crashing.end();
  proxy.calm();
  endSlackFaults();
  await endLostScopes();
  await channelFaults.end();
  const calmAt = Date.now();
  const over = new AbortController();
  const acting = acts.finish(over.signal);
  await untilIdle(db);
  over.abort();
  await acting;
  // Wait again, because the last reply may have started another run.
  const leftOver = await untilIdle(db);
  const quietAt = Date.now();
  const runs = await listAllRuns(service);
  const stores = { bot: db, service: serviceDb };
  const { canceled, followUps, ...acted } = await compareActs(stores, acts.said());
  const { answers, ...answered } = await compareAnswers(stores, workspace, runs);
  const compared = compare(workspace, runs, asked, canceled);
  const stuck = [...new Set([...compared.stuck, ...leftOver])];
  const ofOutsiders = await findOutsiders(workspace, stores);
  const findings = { ...compared, ...acted, ...answered, stuck, ofOutsiders };
  return {
    seed,
    evidence: await gatherEvidence(workspace, db, findings, { ...acts, updatesOf }),
    requests: [...asked.values()].filter((each) => each === 'accepted').length,
    perhaps: [...asked.values()].filter((each) => each === 'perhaps').length,
    notStarted: countNotStarted(workspace),
    cancels: canceled.length,
    stops: acts.stops(),
    outsiders: outsiders.acts(),
    followUps,
    answers,
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
      ].filter((each) => !options.expected?.test(each)),
    },
  };
}

/** Stores the settings of the trial: the channel where plain replies go to the run, and the people who can answer. */
async function writeSettings({ workspace, db }: TestBed, people: readonly string[]): Promise<void> {
  const { settings } = createStore(db);
  const { id: teamId } = workspace.team;
  const channel = { teamId, scope: 'channel', scopeId: channelOfReplies } as const;
  await settings.write(channel, 'runs.replies', true);
  const team = { teamId, scope: 'workspace', scopeId: teamId } as const;
  const rule: Rule = { name: 'Answerers', people: [...people], answer: true };
  await settings.write(team, rulesKey, [rule]);
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

/** Fails with the IDs of the requests that broke a promise. */
export function expectNoFindings({ findings }: SeedResult): void {
  for (const [promise, ids] of Object.entries(findings)) expect(ids, promise).toEqual([]);
}
