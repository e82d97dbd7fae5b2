import { createLogger, type Logger } from 'base/logger';
import type { ServiceEnvironment } from 'runs-service/environments/environments';
import { createLocalWorkspace, type LocalWorkspace } from 'slack-stand-in';
import { parseManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../packages/base/test/support/free-port.ts';
import { testKeys } from '../../../packages/base/test/support/test-key.ts';
import {
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { createBot } from '../../../src/bot/bot.ts';
import { readAppScopes } from '../../../src/config/app-scopes.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { finishManifest } from '../../../src/manifest/finish-manifest.ts';
import { createDatabase } from '../database/databases.ts';
import { isOverHttp } from './delivery.ts';
import { manifestSource } from './manifest-source.ts';
import { ackWithinMs } from './product.ts';
import { patience } from './waits.ts';
import { watchedWorkspace } from './watched-workspace.ts';

const host = '127.0.0.1';
const agent =
  'case "$AGENT_PROMPT" in wait*) exec sleep 600;; *) echo "done: $AGENT_PROMPT";; esac';

/** Returns the manifest that `slash-agent manifest --install-url` prints. */
function oauthManifest(publicUrl: string) {
  const url = isOverHttp() ? 'https://agent.example.org' : undefined;
  return parseManifest(
    finishManifest(manifestSource, { url, unfurlDomains: [], installUrl: publicUrl }),
  );
}

/** Starts a Slack with many workspaces, a runs service, and bots that people install by OAuth. */
export async function startOAuthProduct({
  moreTeams = 0,
  inOrganization = 0,
  database = '',
  connectionHosts = [] as string[],
  policyFile = undefined as string | undefined,
  environments = undefined as readonly ServiceEnvironment[] | undefined,
} = {}) {
  const { service } = await startRunsService({
    environments: environments ?? [shellEnvironment(agent, { default: true, repositories: [] })],
  });
  const port = await freePort();
  const publicUrl = `http://${host}:${port}`;
  const workspace = watchedWorkspace(
    createLocalWorkspace({
      manifest: oauthManifest(publicUrl),
      moreTeams,
      inOrganization,
      logger: createLogger('silent'),
      ackWithinMs,
    }),
  );
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { apiUrl, clientId, clientSecret, appToken, signingSecret } = workspace;
  const { required, optional } = readAppScopes(false);
  const isHttp = isOverHttp();
  if (isHttp) workspace.deliverTo({ mode: 'http', url: `${publicUrl}/slack/events` });
  const config: BotConfig = {
    slack: {
      apiUrl,
      oauth: { clientId, clientSecret, publicUrl, scopes: [...required, ...optional] },
      delivery: isHttp ? { mode: 'http', signingSecret, host, port } : { mode: 'socket', appToken },
    },
    publicUrl,
    health: isHttp ? undefined : { host, port },
    runsApi: { baseUrl: service.apiUrl, apiKey: testKey },
    connectionHosts,
    databaseUrl: database || (await createDatabase(temporaryFolder())),
    encryptionKeys: testKeys,
    policyFile,
    logLevel: 'silent',
  };
  async function startBot(
    changes: Partial<BotConfig['slack']> = {},
    logger: Logger = createLogger(process.env['TEST_LOG'] ? 'debug' : 'silent'),
  ) {
    const slack = { ...config.slack, ...changes };
    const bot = createBot({ ...config, slack }, logger, patience);
    await bot.start();
    onTestFinished(() => bot.stop());
    return bot;
  }
  const install = (userId: string, query = '', how: Consent = {}) =>
    installInBrowser(workspace, `${publicUrl}/slack/install${query}`, userId, how);
  return { workspace, service, config, publicUrl, startBot, install };
}

type Consent = {
  answer?: 'allow' | 'deny';
  inOrganization?: boolean;
  /** Optional scopes that the person deselects. */
  leavesOut?: readonly string[];
};

/** Follows an installation like a browser: the app's address, Slack's consent page, and back to the app. */
export async function installInBrowser(
  { url: slackUrl }: LocalWorkspace,
  address: string,
  user: string,
  { answer = 'allow', inOrganization = false, leavesOut = [] }: Consent = {},
) {
  const start = await fetch(address, { redirect: 'manual' });
  const cookie = (start.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const consentUrl = start.headers.get('location') ?? '';
  const consent = await (await fetch(consentUrl)).text();
  const form = /name="form" value="(\w+)"/.exec(consent)?.[1] ?? '';
  const fields = { form, answer, user, ...(inOrganization && { organization: 'yes' }) };
  const body = new URLSearchParams(fields);
  const ticked = [...consent.matchAll(/name="optional" value="([^"]+)" checked/g)];
  for (const [, scope = ''] of ticked)
    if (!leavesOut.includes(scope)) body.append('optional', scope);
  const answered = await fetch(`${slackUrl}/oauth/v2/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body,
  });
  const back = answered.headers.get('location') ?? '';
  const page = await fetch(back, { headers: { cookie } });
  const scopes = new URL(consentUrl).searchParams.get('scope')?.split(',') ?? [];
  return { status: page.status, text: await page.text(), headers: page.headers, back, scopes };
}
