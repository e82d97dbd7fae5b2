import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from 'base/logger';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { bundle } from '../packages/base/test/support/bundle.ts';
import { createEmptyPostgresDatabase } from '../packages/base/test/support/databases.ts';
import { testEncryptionKey } from '../packages/base/test/support/test-key.ts';
import { openTestDatabase as openServiceDatabase } from '../packages/runs-service/test/support/databases.ts';
import {
  startRunsService,
  temporaryFolder,
  testKey,
} from '../packages/runs-service/test/support/runs-service.ts';
import { openTestDatabase } from '../test/support/database/databases.ts';
import { BotProcess } from './bot-process.ts';
import { organizationId } from './outsiders.ts';

/** Script of an agent that succeeds at once, fails, takes a while, or lasts until someone cancels its run. */
const agent = `case "$AGENT_PROMPT" in
  fail*) echo "the tests do not pass" >&2; exit 3;;
  slow*) sleep 2;;
  long*) sleep 4;;
  stay*) exec sleep 7200;;
esac`;
const manifestFile = fileURLToPath(new URL('../manifest.yml', import.meta.url));

export type TestBed = Awaited<ReturnType<typeof startTestBed>>;

/**
 * Starts everything around the bot until the test ends, with a way to start bots as separate processes.
 * @param forOrganization true if the bot token belongs to an organization, which gives the app the workspace
 */
export async function startTestBed(
  database: 'SQLite' | 'PostgreSQL',
  givenUrl?: string,
  forOrganization = false,
) {
  const serviceDb = await openServiceDatabase('sqlite::memory:');
  onTestFinished(() => serviceDb.destroy());
  const service = await startRunsService({
    // Use no repository, because git would use most of the machine's time.
    environments: [
      {
        id: 'shell',
        isolation: 'none',
        repositories: [],
        command: ['sh', '-c', agent],
        default: true,
      },
      {
        id: 'asking',
        isolation: 'none',
        repositories: [],
        harness: 'acp',
        permissions: 'ask',
        command: [process.execPath, bundle('trials/asking-agent.ts')],
      },
    ],
    db: serviceDb,
    concurrency: 64,
    requestsPerMinute: 1_000_000,
  });
  const workspace = createLocalWorkspace({
    manifest: readManifest(manifestFile),
    logger: createLogger('silent'),
    keepTriggers: true,
    forOrganization,
  });
  await workspace.start();
  onTestFinished(() => workspace.stop());
  if (forOrganization) await workspace.giveTeams(organizationId, [workspace.team.id]);
  const databaseUrl = givenUrl ?? (await createDatabaseUrl(database));
  const db = await openTestDatabase(databaseUrl);
  onTestFinished(() => db.destroy());
  const environment = {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    RUNS_API_URL: service.service.apiUrl,
    RUNS_API_KEY: testKey,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: testEncryptionKey,
  };
  let connections = 0;
  workspace.subscribe((change) => {
    if (change.type === 'socket') connections = change.connections;
  });
  return {
    workspace,
    service,
    serviceDb,
    db,
    createReplica: (program: string, changes: Record<string, string> = {}, log?: string) =>
      new BotProcess(program, { ...environment, ...changes }, log),
    /** Waits for this many connections. Each replica opens two. */
    untilConnected: (count = 1) =>
      workspace.until(() => connections >= count, { timeoutMs: 300_000 }),
  };
}

const createDatabaseUrl = async (database: 'SQLite' | 'PostgreSQL'): Promise<string> =>
  database === 'SQLite'
    ? `sqlite:${join(temporaryFolder(), 'bot.db')}`
    : createEmptyPostgresDatabase();
