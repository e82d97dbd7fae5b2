import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from 'base/config/environment';
import { openDatabase } from 'base/database/database';
import { makePrivateFolder } from 'base/files/private-files';
import { createLogger, type Logger } from 'base/logger';
import { runOperatorCommand } from 'base/process/run-operator-command';
import { type Lifecycle, runUntilSignaled } from 'base/process/run-until-signaled';
import { generatedKeys, openEncryption } from 'base/secrets/encryption-keys';
import { fixedEnvironments } from 'runs-service/environments/environments';
import { defaultPath } from 'runs-service/execution/files/run-files';
import { createRunsService } from 'runs-service/service';
import type { DatabaseSchema } from 'runs-service/store/schema';
import { serviceTables } from 'runs-service/store/tables';
import { createLocalWorkspace } from 'slack-stand-in';
import { readManifest } from 'slack-stand-in/manifest';
import { createBot } from 'slash-agent/bot/bot';
import { createDemoEnvironments } from './create-demo-environments.ts';
import { createDemoAutomations } from './demo-automations.ts';
import { readDemoConfig } from './demo-config.ts';
import { startGitHost } from './git-host/git-host.ts';
import { startModelServer } from './model-server/model-server.ts';

const manifestFile = fileURLToPath(new URL('../../../manifest.yml', import.meta.url));
const host = '127.0.0.1';

/** Creates the whole product in one process: the Slack stand-in, the bot and the embedded runs service. */
function createDemo(): Lifecycle {
  const { port, runsServicePort, gitHostPort, webhooksPort, dataDir, logLevel } = readDemoConfig(
    processEnvironment(),
  );
  const logger = createLogger(logLevel);
  const parts: { stop(): Promise<void> }[] = [];

  async function start(): Promise<void> {
    const encryptionKeys = generatedKeys(dataDir);
    const encryption = openEncryption(encryptionKeys, logger);
    const db = await openDatabase<DatabaseSchema>(
      `sqlite:${join(dataDir, 'runs-service.db')}`,
      [serviceTables],
      { encryption },
    );
    parts.push({ stop: () => db.destroy() });
    const apiKey = randomBytes(24).toString('base64url');
    const creator = {
      type: 'service_account',
      uid: 'demo',
      display_name: 'slash-agent demo',
    } as const;
    const folder = join(dataDir, 'demo');
    makePrivateFolder(folder);
    const gitHost = await startGitHost({
      folder,
      host,
      port: gitHostPort,
      path: defaultPath,
      logger,
    });
    parts.push(gitHost);
    const { apiUrl: api_url, tokenFile: token_file } = gitHost;
    const publish = { mode: 'ask', host: 'github', merge: true, api_url, token_file } as const;
    const models = await startModelServer({ folder, host });
    parts.push(models);
    const { provider } = models;
    const workspace = openWorkspace({ port, dataDir, logger });
    const service = createRunsService({
      db,
      dataDir: join(dataDir, 'runs-service'),
      environments: fixedEnvironments(await createDemoEnvironments({ folder, publish, provider })),
      nameCreator: async ({ metadata_json: json }) => {
        const { slack_user: userId } = JSON.parse(json);
        return workspace.people.find(({ id }) => id === userId)?.realName;
      },
      keyHint: 'The terminal in which the demo runs shows its key.',
      keys: [{ key: apiKey, role: 'all', creator, source: 'SLACK' }],
      host,
      port: runsServicePort,
      logger,
    });
    parts.push(service);
    await service.start();
    parts.push(workspace);
    await workspace.start();

    const { botToken, appToken, apiUrl } = workspace;
    const databaseFile = join(dataDir, 'slash-agent.db');
    const isFirstStart = !existsSync(databaseFile);
    const bot = createBot(
      {
        slack: { botToken, apiUrl, delivery: { mode: 'socket', appToken } },
        // Webhooks arrive at the port of the health checks.
        health: { host, port: webhooksPort },
        publicUrl: `http://${host}:${webhooksPort}`,
        runsApi: { baseUrl: service.apiUrl, apiKey },
        unfurlDomains: [host],
        databaseUrl: `sqlite:${databaseFile}`,
        encryptionKeys,
        logLevel,
      },
      logger,
    );
    parts.push(bot);
    await bot.start();
    const webhook = await createDemoAutomations({
      databaseUrl: `sqlite:${databaseFile}`,
      encryption,
      isFirstStart,
      teamId: workspace.team.id,
      ownerId: workspace.as('ada').person.id,
    });
    const runsUrl = new URL('/runs', service.apiUrl).href;
    process.stdout.write(welcome(workspace.url, { runsUrl, apiKey }));
    if (webhook) process.stdout.write(curlLine(`http://${host}:${webhooksPort}`, webhook));
    process.stdout.write('Press Ctrl-C to stop. Your data is kept for the next start.\n');
  }

  async function stop(): Promise<void> {
    for (const part of parts.splice(0).reverse()) await part.stop();
  }

  return { start, stop };
}

function openWorkspace({
  port,
  dataDir,
  logger,
}: {
  port: number;
  dataDir: string;
  logger: Logger;
}) {
  const manifest = readManifest(manifestFile);
  manifest.features.unfurl_domains = [host];
  return createLocalWorkspace({
    manifest,
    port,
    stateFile: join(dataDir, 'local-workspace.json'),
    keepTriggers: true,
    logger,
    welcome: firstSteps,
  });
}

/** Hints to show in the demo's empty channels. */
const firstSteps = {
  title: 'Start your first run',
  text: 'Type /agent and what you want done. Everything runs on this machine with a built-in demo agent. Select an example, then press Enter.',
  examples: [
    '/agent count the TODO comments',
    '/agent run add the line "Batteries checked" to README.md',
    '/agent run wait 20 seconds, then list the files',
    '/agent run think about the water sensor 5 times',
    '/agent schedule every weekday at 9:00 | count the TODO comments',
  ],
};

const welcome = (url: string, { runsUrl, apiKey }: { runsUrl: string; apiKey: string }) => `
slash-agent demo: open ${url}

Choose a person, then type in any channel:  /agent count the TODO comments
All runs: ${runsUrl}, with the key ${apiKey}
`;

/** Returns a command that starts a run through the demo's webhook. */
const curlLine = (url: string, { id, secret }: { id: string; secret: string }) => `
A deploy can start a run through a webhook. Paste this into another terminal:
  curl ${url}/hooks/${id} --header 'Authorization: Bearer ${secret}' \\
    --data '{"status": "success", "environment": "production", "version": "1.2.3"}'

`;

await runOperatorCommand(() => runUntilSignaled(createDemo));
