import { randomBytes } from 'node:crypto';
import { createRunsClient } from 'runs-client';
import type { BotConfig, EmbeddedRuns, RemoteRuns } from './config.ts';
import { Follower } from './following/follower.ts';
import { createHealth, type Health } from './health.ts';
import { createDeadlines } from './lib/deadlines.ts';
import type { Logger } from './lib/logger.ts';
import { createRequestPriority } from './lib/request-priority.ts';
import type { Part } from './lib/run-process.ts';
import { createConfiguredService } from './runs-service/configured-service.ts';
import { createSlackApp } from './slack/app.ts';
import { createTokenWatch } from './slack/connection/token-watch.ts';
import { createWebClient } from './slack/connection/web-client.ts';
import { createPeople } from './slack/people/people.ts';
import { createNameReader } from './slack/people/people-names.ts';
import { createSlackBudget, type SlackBudget } from './slack/posting/slack-budget.ts';
import { createSlackClock } from './slack/posting/slack-clock.ts';
import { createSlackNotices } from './slack/run-message/slack-notices.ts';
import { createSlackRunMessages } from './slack/run-message/slack-run-messages.ts';
import { openForRequests } from './store/database/database.ts';
import { waitForDatabase } from './store/database/wait-for-database.ts';
import { createConnections } from './store/following/connections.ts';
import { createFollowedRunsStore } from './store/following/followed-runs.ts';
import { createRunLengths } from './store/following/run-lengths.ts';
import { createDeliveries } from './store/inbox/deliveries.ts';
import { createMentions } from './store/inbox/mentions.ts';
import { createWorkflowWaits } from './store/inbox/workflow-waits.ts';
import { createDigests } from './store/outbox/digests.ts';
import { createNotices } from './store/outbox/notices.ts';
import { createDrafts } from './store/people/drafts.ts';
import { createHomeViews } from './store/people/home-views.ts';
import { createRunCreators } from './store/people/run-creators.ts';
import { createSettings } from './store/people/settings.ts';
import { createSubmissions } from './store/people/submissions.ts';
import { createChannelRequests } from './store/requests/channel-requests.ts';
import { createRequestLeases } from './store/requests/request-leases.ts';
import { createRequestList } from './store/requests/request-list.ts';
import { createRequestLookup } from './store/requests/request-lookup.ts';
import { createRequestMarks } from './store/requests/request-marks.ts';
import { createRequestWatchers } from './store/requests/request-watchers.ts';
import { createRequests } from './store/requests/requests.ts';
import type { Db } from './store/schema.ts';

/** Creator of the runs that the bot starts on the embedded runs service. */
const ownCreator = {
  type: 'service_account',
  uid: 'slash-agent',
  display_name: 'slash-agent',
} as const;

type Stoppable = { stop(): Promise<void> };

/** Starts the embedded runs service, with a key that only this process knows. */
async function startRunsService(
  { embedded }: EmbeddedRuns,
  { db, logger, started }: { db: Db; logger: Logger; started: Stoppable[] },
): Promise<RemoteRuns> {
  const apiKey = randomBytes(24).toString('base64url');
  const service = createConfiguredService(embedded, {
    db,
    keys: [{ key: apiKey, creator: ownCreator, source: 'SLACK' }],
    logger,
  });
  started.push(service);
  await service.start();
  return { baseUrl: service.apiUrl, apiKey };
}

/** How long a stop waits for pending calls. The next start repeats what was aborted: the store knows. */
const stopWithinMs = { runsApi: 1_500, slack: 2_000, store: 3_500 };

type StartParts = {
  /** Parts to stop, in the order of their starts. */
  started: Stoppable[];
  /** Aborts the start. */
  signal: AbortSignal;
  deadlines: ReturnType<typeof createDeadlines<keyof typeof stopWithinMs>>;
  logger: Logger;
  budget: SlackBudget;
};

/** Serves `/healthz` until the stop, if there is a port for it. */
async function startHealth(
  { slack: { delivery }, health: address }: BotConfig,
  { started, signal }: Pick<StartParts, 'started' | 'signal'>,
): Promise<Health | undefined> {
  const at = delivery.mode === 'http' ? delivery : address;
  if (!at) return undefined;
  const health = createHealth(at);
  started.push(health);
  await health.start();
  signal.addEventListener('abort', () => health.waitFor('stopping'));
  return health;
}

/** The wiring: creates every part, connects them, and starts one after another. */
async function startParts(config: BotConfig, parts: StartParts): Promise<void> {
  const { started, signal, deadlines, logger, budget } = parts;
  const { signals: stopping } = deadlines;
  const health = await startHealth(config, parts);
  health?.waitFor('waiting for the database');
  const db = await waitForDatabase(config.databaseUrl, {
    signal,
    stopping: stopping.store,
    logger,
  });
  if (!db || signal.aborted) return;
  started.push({ stop: () => db.destroy() });
  const prompt = openForRequests(db, config.databaseUrl, stopping.store);
  started.push({ stop: () => prompt.destroy() });
  const requests = createRequests(prompt);
  const settings = createSettings(prompt);
  const watchers = createRequestWatchers(prompt);

  const { runsApi: api } = config;
  const remote = 'embedded' in api ? await startRunsService(api, { db, logger, started }) : api;
  // The embedded runs service has its own time limits for stopping, and needs the store for it.
  started.push({ stop: async () => deadlines.clear() });
  const runsClient = createRunsClient({ ...remote, logger });
  stopping.runsApi.addEventListener('abort', () => void runsClient.close());
  started.push({ stop: () => runsClient.close() });
  const { runs, environments, agents } = runsClient;

  const tokenWatch = createTokenWatch(logger);
  const clock = createSlackClock();
  const client = createWebClient({
    ...config.slack,
    ...{ logger, clock, watch: tokenWatch, stopping: stopping.slack },
  });
  const messages = createSlackRunMessages({ client, budget, clock });
  const readNames = createNameReader(createPeople(client));
  const notices = createSlackNotices({ client, budget, clock, watchers, settings, readNames });
  const priority = createRequestPriority();
  const follower = new Follower({
    requests: createRequests(db),
    leases: createRequestLeases(db),
    connections: createConnections(db),
    followed: createFollowedRunsStore(db),
    runs,
    messages,
    notices,
    noticeStore: createNotices(db),
    lengths: createRunLengths(db),
    ...priority,
    logger,
  });
  const wake = () => follower.wake();
  const slack = createSlackApp({
    ...config.slack,
    ...priority,
    ...{ client, clock, tokenWatch, budget },
    ...{ server: health?.server, stopping: stopping.slack },
    requests,
    lookup: createRequestLookup(prompt),
    digests: createDigests(db),
    channelRequests: createChannelRequests(db),
    drafts: createDrafts(prompt),
    submissions: createSubmissions(prompt),
    mentions: createMentions(prompt),
    waits: createWorkflowWaits(prompt),
    ...{ environments, agents },
    limits: config.limits ?? {},
    marks: createRequestMarks(prompt),
    watchers,
    list: createRequestList(db),
    views: createHomeViews(db),
    creators: createRunCreators(db),
    runLinkDomains: config.runLinkDomains ?? [],
    settings,
    deliveries: createDeliveries(prompt),
    runs,
    wake,
    logger,
  });
  started.push({ stop: async () => void (await Promise.all([slack.stop(), follower.stop()])) });
  follower.start();
  health?.waitFor('waiting for Slack');
  await slack.start(signal);
  if (!signal.aborted) health?.waitFor(undefined);
}

/** The bot as one part. It can be stopped while it's still starting, and started again after a stop. */
export function createBot(
  config: BotConfig,
  logger: Logger,
  budget: SlackBudget = createSlackBudget(),
): Part {
  let running: ReturnType<typeof begin> | undefined;

  function begin() {
    const started: Stoppable[] = [];
    const starting = new AbortController();
    const deadlines = createDeadlines(stopWithinMs);
    const { signal } = starting;
    async function stopParts(): Promise<void> {
      deadlines.begin();
      for (const part of started.splice(0).reverse()) await part.stop();
      deadlines.clear();
    }
    const up = startParts(config, { started, signal, deadlines, logger, budget });
    return {
      up: up.catch(async (error: unknown) => {
        await stopParts();
        throw error;
      }),
      async stop(): Promise<void> {
        starting.abort();
        await Promise.allSettled([up]);
        await stopParts();
      },
    };
  }

  return {
    async start() {
      running ??= begin();
      const { up } = running;
      await up.catch((error: unknown) => {
        running = undefined;
        throw error;
      });
    },
    async stop() {
      const ending = running;
      running = undefined;
      await ending?.stop();
    },
  };
}
