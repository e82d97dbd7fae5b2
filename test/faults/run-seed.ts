import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createLogger } from '../../src/lib/logger.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { createLocalWorkspace } from '../../src/local-workspace/local-workspace.ts';
import { readManifest } from '../../src/local-workspace/manifest.ts';
import type { ListRunsResponse, Run } from '../../src/runs-api/contract.ts';
import { type Db, openDatabase } from '../../src/store/database.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../support/runs-service.ts';
import { startApiProxy } from './api-proxy.ts';
import { BotProcess } from './bot-process.ts';
import { compare, countNotStarted } from './findings.ts';
import { letPeopleAsk } from './people.ts';
import { createRandom } from './random.ts';
import { crashReplicas, troubleSlack } from './trouble.ts';

/** Agents that end at once, fail, or take a while. */
const agent = `case "$AGENT_PROMPT" in
  fail*) echo "the tests do not pass" >&2; exit 3;;
  slow*) sleep 0.4;;
esac`;
const prompts = ['quick', 'quick', 'fail', 'slow'] as const;
const channels = ['C04GENERAL1', 'C04ENGINEER', 'C04ALERTS01'] as const;
const manifestFile = fileURLToPath(new URL('../../manifest.yml', import.meta.url));

export type SeedOptions = {
  program: string;
  database: 'SQLite' | 'PostgreSQL';
  replicas: number;
  seed: number;
  requests: number;
  people: number;
  /** What the bots write; nowhere unless given. */
  log: string | undefined;
};

export type SeedResult = Awaited<ReturnType<typeof runSeed>>;

/** How long healing may take when the trouble is over: rare looks at quiet runs come after a minute. */
const healingMs = 180_000;

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
  const service = await startRunsService({
    environments: [shellEnvironment(agent, { default: true })],
    concurrency: 8,
    requestsPerMinute: 1_000_000,
  });
  const proxy = await startApiProxy(service.service.apiUrl, createRandom(seed + 1_000), 0.2);
  const workspace = await startWorkspace();
  const databaseUrl =
    options.database === 'SQLite'
      ? `sqlite:${join(temporaryFolder(), 'bot.db')}`
      : await createPostgresDatabase();
  const db = await openDatabase(databaseUrl);
  onTestFinished(() => db.destroy());
  const environment = {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    RUNS_API_URL: proxy.apiUrl,
    RUNS_API_KEY: testKey,
    DATABASE_URL: databaseUrl,
  };
  const replicas = Array.from(
    { length: count },
    () => new BotProcess(options.program, environment, options.log),
  );
  for (const replica of replicas) replica.start();
  await untilConnected(workspace);

  const calm = new AbortController();
  const endTrouble = troubleSlack(workspace, createRandom(seed + 2_000), 0.15);
  const crashing = crashReplicas(replicas, createRandom(seed + 3_000), calm.signal);
  const asked = await letPeopleAsk({ workspace, random, people, requests, channels, prompts });
  // The last requests are under way only now.
  await sleep(random.between(2_000, 5_000));
  calm.abort();
  proxy.calm();
  endTrouble();
  const crashes = await crashing;
  const leftOver = await untilQuiet(db, healingMs);
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

async function startWorkspace() {
  const workspace = createLocalWorkspace({
    manifest: readManifest(manifestFile),
    logger: createLogger('silent'),
    patient: true,
  });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  return workspace;
}

async function untilConnected(workspace: Awaited<ReturnType<typeof startWorkspace>>) {
  let connections = 0;
  const end = workspace.subscribe((change) => {
    if (change.type === 'socket') connections = change.connections;
  });
  await workspace.until(() => connections > 0, { timeoutMs: 60_000 });
  end();
}

/** Waits until nothing is left to do for any request. @returns the ids of those that never came so far */
async function untilQuiet(db: Db, timeoutMs: number): Promise<string[]> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
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
    if (rows.length === 0 || Date.now() > deadlineMs) return rows.map(({ id }) => id);
    await sleep(250);
  }
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
