import { createLogger } from 'base/logger';
import {
  type Actor,
  createLocalWorkspace,
  type LocalWorkspace,
  type LocalWorkspaceOptions,
} from 'slack-stand-in';
import { parseManifest } from 'slack-stand-in/manifest';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../packages/base/test/support/free-port.ts';
import { testKeys } from '../../../packages/base/test/support/test-key.ts';
import {
  clientOf,
  shellEnvironment,
  startRunsService,
  temporaryFolder,
  testKey,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import { createBot } from '../../../src/bot/bot.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { finishManifest } from '../../../src/manifest/finish-manifest.ts';
import { createDatabase } from '../database/databases.ts';
import { isOverHttp } from './delivery.ts';
import { manifestSource } from './manifest-source.ts';
import { patience } from './waits.ts';
import { watchedWorkspace } from './watched-workspace.ts';

/** An agent that fails, waits or succeeds, depending on the first word of the prompt. */
const agent = `case "$AGENT_PROMPT" in
  fail*) echo "the tests do not pass" >&2; exit 3;;
  wait*) exec sleep 600;;
  *) echo "done: $AGENT_PROMPT";;
esac`;

/** Limit for acknowledgements, in ms. It's generous because a slow test machine isn't a problem of the app. */
export const ackWithinMs = 30_000;

export const general = 'C04GENERAL1';
/** Only run messages have a header; replies and ephemeral messages don't. */
export const runMessagesIn = (workspace: LocalWorkspace, channelId = general) =>
  workspace
    .messagesIn(channelId)
    .filter(
      ({ botId, blocks }) => botId === workspace.bot.botId && blocks?.[0]?.['type'] === 'header',
    );
export const runMessageIn = (workspace: LocalWorkspace, channelId = general) =>
  runMessagesIn(workspace, channelId).at(-1);

/** Builds the value of a select menu after an ID was selected or typed. */
export const picked = (id: string) => ({ text: { type: 'plain_text', text: id }, value: id });

type Product = Awaited<ReturnType<typeof startProduct>>;

/** Types a command and waits for the modal. */
export async function opensModal(
  { workspace }: Pick<Product, 'workspace'>,
  person: Actor,
  command = '/agent',
  channelId = general,
) {
  const before = person.modal()?.id;
  await person.types(channelId, command);
  return await workspace.until(() => {
    const view = person.modal();
    return view?.id === before ? undefined : view;
  });
}

/** Reads the value of an input in a person's modal. */
export const held = (person: Actor, field: string) =>
  Object.values(person.modal()?.values[field] ?? {})[0];

/** Clicks More options in the open form. */
export async function showMore({ ada, workspace }: Pick<Product, 'ada' | 'workspace'>) {
  const view = await workspace.until(() => ada.modal());
  await ada.clicks({ view }, 'start-run:more');
  await workspace.until(() => textOf(ada.modal()?.content).includes('"mcp_servers"'));
}

/** A message or view as JSON, to search for texts. */
export const textOf = (shown: unknown): string => JSON.stringify(shown) ?? '';

/** Waits until a channel's newest run message shows this text. */
export const runMessageShowing = (workspace: LocalWorkspace, words: string, channelId = general) =>
  workspace.until(() => {
    const message = runMessageIn(workspace, channelId);
    return textOf(message).includes(words) ? message : undefined;
  });

/** Rates the result of a run in its menu. */
export const rates = (
  product: Pick<Product, 'workspace'>,
  person: Actor,
  { channelId, ts: messageTs }: { channelId: string; ts: string },
  rating: 'positive' | 'negative',
) =>
  picks(
    product,
    person,
    { channelId, messageTs },
    rating === 'positive' ? '👍 Good result' : '👎 Bad result',
  );

/** Opens Details from a run message and returns its text. */
export async function detailsOf(
  { workspace }: Pick<Product, 'workspace'>,
  person: Actor,
  { channelId, ts }: { channelId: string; ts: string },
): Promise<string> {
  await person.clicks({ channelId, messageTs: ts }, 'run:details');
  const view = await workspace.until(() => {
    const shown = person.modal();
    return textOf(shown?.content).includes('*Timeline*') ? shown : undefined;
  });
  await person.closesModal();
  return textOf(view?.content);
}

/** Selects an entry, by its text, from the menu of a run message. */
export function picks(
  { workspace }: Pick<Product, 'workspace'>,
  person: Actor,
  place: { channelId: string; messageTs: string },
  words: string,
) {
  const message = workspace
    .messagesIn(place.channelId)
    .find(({ ts, visibleTo }) => ts === place.messageTs && !visibleTo);
  const menu = (message?.blocks ?? [])
    .flatMap((block) => (block['elements'] ?? []) as { type: string; options?: MenuOption[] }[])
    .find(({ type }) => type === 'overflow');
  const option = menu?.options?.find(({ text }) => text.text === words);
  if (!option) throw new Error(`"${words}" is not offered in ${textOf(message?.blocks)}`);
  return person.clicks(place, 'run-message:menu', option.value);
}

type MenuOption = { text: { text: string }; value: string };

/** Returns the prompts that the runs service received, newest first. */
export async function promptsSent({ service }: Pick<Product, 'service'>): Promise<string[]> {
  const answer = await clientOf(service.apiUrl).request('/agent/runs');
  const { runs } = (await answer.json()) as { runs: { prompt: string }[] };
  return runs.map(({ prompt }) => prompt);
}

/** Returns the manifest that `slash-agent manifest` prints, with the domain of the test's session pages. */
function manifestWithLinksTo(domain: string, readsEmail: boolean) {
  const url = isOverHttp() ? 'https://agent.example.org' : undefined;
  return parseManifest(
    finishManifest(manifestSource, { url, unfurlDomains: [domain], readsEmail }),
  );
}

/** Starts everything but the bot, like the demo, on free ports. Everything stops after the test. */
export async function startProduct(
  changes: Partial<BotConfig> = {},
  workspaceChanges: Partial<LocalWorkspaceOptions> = {},
  readsEmail = false,
) {
  const { service } = await startRunsService({
    environments: [shellEnvironment(agent, { default: true, repositories: [] })],
  });
  const workspace = watchedWorkspace(
    createLocalWorkspace({
      manifest: manifestWithLinksTo('127.0.0.1', readsEmail),
      logger: createLogger('silent'),
      ackWithinMs,
      ...workspaceChanges,
    }),
  );
  await workspace.start();
  onTestFinished(() => workspace.stop());
  const { botToken, apiUrl } = workspace;
  const config: BotConfig = {
    slack: { botToken, apiUrl, delivery: await deliverTo(workspace) },
    health: undefined,
    runsApi: { baseUrl: service.apiUrl, apiKey: testKey },
    unfurlDomains: ['127.0.0.1'],
    databaseUrl: changes.databaseUrl ?? (await createDatabase(temporaryFolder())),
    encryptionKeys: testKeys,
    logLevel: 'silent',
    ...changes,
  };
  /** Starts a bot on the same data. Works again after an earlier bot was stopped. */
  const startBot = async (
    overrides: Partial<BotConfig> = {},
    logger = quietLogger(),
    waits: Partial<typeof patience> = {},
  ) => {
    const bot = createBot({ ...config, ...overrides }, logger, { ...patience, ...waits });
    await bot.start();
    onTestFinished(() => bot.stop());
    return bot;
  };
  return {
    config,
    workspace,
    service,
    startBot,
    ada: workspace.as('ada'),
    grace: workspace.as('grace'),
  };
}

/** Starts everything, including a bot. */
export async function startedProduct(...options: Parameters<typeof startProduct>) {
  const product = await startProduct(...options);
  await product.startBot();
  return product;
}

const quietLogger = () => createLogger(process.env['TEST_LOG'] ? 'debug' : 'silent');

async function deliverTo(workspace: LocalWorkspace): Promise<BotConfig['slack']['delivery']> {
  const { appToken, signingSecret } = workspace;
  if (!isOverHttp()) return { mode: 'socket', appToken };
  const [host, port] = ['127.0.0.1', await freePort()];
  workspace.deliverTo({ mode: 'http', url: `http://${host}:${port}/slack/events` });
  return { mode: 'http', signingSecret, port, host };
}
