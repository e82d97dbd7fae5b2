/** Bot replicas and runs services of the benchmark. Each function runs in its own process. */
import { createHash } from 'node:crypto';
import { createLogger } from 'base/logger';
import { fixedEnvironments } from 'runs-service/environments/environments';
import { createRunsService } from 'runs-service/service';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { testKeys } from '../../packages/base/test/support/test-key.ts';
import { openTestDatabase as openServiceDatabase } from '../../packages/runs-service/test/support/databases.ts';
import { createBot } from '../../src/bot/bot.ts';
import { createSlackBudget, type SlackBudget } from '../../src/slack/posting/slack-budget.ts';
import { createSlackWrites, type SlackWrites } from '../../src/store/outbox/slack-writes.ts';
import { openTestDatabase } from '../../test/support/database/databases.ts';
import { signingSecret } from '../ack-deliveries.ts';
import { agentMsOf, type Day } from './day.ts';
import { timesBurst } from './slack-limits.ts';
import { teamId } from './slack-model.ts';

const apiKey = 'key-of-the-benchmark-0123456789abcdef';
const logLevel = 'warn';

/** Starts a bot replica. @returns the port of its HTTP server */
export async function serveBot(
  day: Day,
  urls: { slack: string; runs: string; database: string },
): Promise<number> {
  const port = await freePort();
  const delivery = { mode: 'http', signingSecret, host: '127.0.0.1', port } as const;
  const writes = createSlackWrites(await openTestDatabase(urls.database));
  const bot = createBot(
    {
      slack: { botToken: 'xoxb-bench', apiUrl: `${urls.slack}/api/`, delivery },
      health: undefined,
      runsApi: { baseUrl: urls.runs, apiKey },
      databaseUrl: urls.database,
      encryptionKeys: testKeys,
      logLevel,
    },
    createLogger(logLevel),
    { budget: compressedBudget(day, writes) },
  );
  await bot.start();
  return port;
}

/**
 * Paces Slack writes by a clock as fast as the day. The bot looks for work about every second, which isn't compressed, so
 * Slack's burst allowance would expire between two rounds. Several budgets, each a share of the limit, make bursts longer.
 */
function compressedBudget({ factor }: Day, writes: SlackWrites): SlackBudget {
  const beganAt = Date.now();
  const pace = factor / timesBurst;
  const budgets = Array.from({ length: timesBurst }, (_, part) =>
    createSlackBudget(
      () => beganAt + (Date.now() - beganAt) * pace,
      async (kind, spentMs) =>
        (await writes.spend(teamId, `${kind} ${part}`, spentMs / pace)) * pace,
    ),
  );
  const budgetOf = ({ requestId }: { requestId: string }) => {
    const digest = createHash('sha256').update(requestId).digest();
    return budgets[digest.readUInt32LE() % timesBurst] as SlackBudget;
  };
  return {
    take: (write) => Math.ceil(budgetOf(write).take(write) / pace),
    takeShared: async (write) => Math.ceil((await budgetOf(write).takeShared(write)) / pace),
    reserve: (write) => Math.ceil(budgetOf(write).reserve(write) / pace),
    pause: (write, ms) => {
      for (const budget of budgets) budget.pause(write, ms * pace);
    },
  };
}

/** Script of the agent: reports two steps and sleeps, for a time that depends on its ticket's number. */
function agentOf(day: Day): string {
  const seconds = Array.from({ length: 101 }, (_, number) =>
    (agentMsOf(day, number) / 3_000).toFixed(1),
  );
  const step = (id: number, title: string) =>
    `echo '{"sessionUpdate":"tool_call","toolCallId":"${id}","title":"${title}","kind":"read"}'`;
  return `number=\${AGENT_PROMPT#Ticket }; number=\${number%%:*}
set -- ${seconds.join(' ')}
[ -n "$AGENT_FOLLOWUP" ] && { echo 'I looked at that too.'; exit 0; }
shift $((number % 101))
${step(1, 'Read the test')}; sleep $1
${step(2, 'Run the test')}; sleep $1
sleep $1; echo 'The test waits for a timer. Fixed.'`;
}

/** Starts a runs service. @returns the base URL of its API */
export async function serveRuns(day: Day, databaseUrl: string, dataDir: string): Promise<string> {
  const command = ['sh', '-c', agentOf(day)];
  const service = createRunsService({
    allowRoot: true,
    db: await openServiceDatabase(databaseUrl),
    dataDir,
    environments: fixedEnvironments([
      { id: 'shell', isolation: 'none', repositories: [], command, default: true },
    ]),
    keys: [
      {
        key: apiKey,
        role: 'all',
        source: 'SLACK',
        creator: { type: 'service_account', uid: 'bot', display_name: 'Bot' },
      },
    ],
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://runs.example.org',
    concurrency: 2 * day.peak,
    logger: createLogger(logLevel),
    path: process.env['PATH'],
  });
  await service.start();
  return service.apiUrl;
}
