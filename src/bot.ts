import { randomBytes } from 'node:crypto';
import type { BotConfig, EmbeddedRuns, RemoteRuns } from './config.ts';
import { Follower } from './following/follower.ts';
import { createHealthServer } from './health.ts';
import type { Logger } from './lib/logger.ts';
import { createRightOfWay } from './lib/right-of-way.ts';
import type { Part } from './lib/run-process.ts';
import { createRunsClient } from './runs-api/runs-client.ts';
import { createConfiguredService } from './runs-service/configured-service.ts';
import { createSlackApp } from './slack/app.ts';
import { createPeople } from './slack/people.ts';
import { createNameReader } from './slack/people-names.ts';
import { againButtons } from './slack/run-buttons.ts';
import { createSlackNotices } from './slack/run-message/slack-notices.ts';
import { createSlackRunMessages } from './slack/run-message/slack-run-messages.ts';
import { createSlackBudget, type SlackBudget } from './slack/slack-budget.ts';
import { createTokenWatch } from './slack/token-watch.ts';
import { createWebClient } from './slack/web-client.ts';
import { createChannelRequests } from './store/channel-requests.ts';
import { createConnections } from './store/connections.ts';
import { type Db, openDatabase, openForPeople } from './store/database.ts';
import { createDeliveries } from './store/deliveries.ts';
import { createDigests } from './store/digests.ts';
import { createDrafts } from './store/drafts.ts';
import { createFollowedRunsStore } from './store/followed-runs.ts';
import { createHomeViews } from './store/home-views.ts';
import { createMentions } from './store/mentions.ts';
import { createNotices } from './store/notices.ts';
import { createRequestLeases } from './store/request-leases.ts';
import { createRequestList } from './store/request-list.ts';
import { createRequestLookup } from './store/request-lookup.ts';
import { createRequestMarks } from './store/request-marks.ts';
import { createRequestWatchers } from './store/request-watchers.ts';
import { createRequests } from './store/requests.ts';
import { createRunCreators } from './store/run-creators.ts';
import { createRunLengths } from './store/run-lengths.ts';
import { createSettings } from './store/settings.ts';
import { createSubmissions } from './store/submissions.ts';
import { createWorkflowWaits } from './store/workflow-waits.ts';

/** Who starts runs at the embedded runs service. */
const ownCreator = {
  type: 'service_account',
  uid: 'slash-agent',
  display_name: 'slash-agent',
} as const;

type Stoppable = { stop(): Promise<void> };

/** The embedded runs service, with a key that only this process knows. */
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

/** The whole wiring: makes every part and joins them. */
export function createBot(
  config: BotConfig,
  logger: Logger,
  budget: SlackBudget = createSlackBudget(),
): Part {
  let started: Stoppable[] = [];

  /** Parts start one after the other; what was started is stopped in reverse, also after a failed start. */
  async function start(): Promise<void> {
    const db = await openDatabase(config.databaseUrl);
    started.push({ stop: () => db.destroy() });
    const prompt = openForPeople(db, config.databaseUrl);
    started.push({ stop: () => prompt.destroy() });
    const requests = createRequests(prompt);
    const settings = createSettings(prompt);
    const watchers = createRequestWatchers(prompt);

    const { runsApi: api } = config;
    const remote = 'embedded' in api ? await startRunsService(api, { db, logger, started }) : api;
    const runsClient = createRunsClient({ ...remote, logger });
    started.push({ stop: () => runsClient.close() });
    const { runs, environments, agents } = runsClient;

    const tokenWatch = createTokenWatch(logger);
    const client = createWebClient({ ...config.slack, logger, watch: tokenWatch });
    const messages = createSlackRunMessages({ client, budget, moreButtons: againButtons });
    const readNames = createNameReader(createPeople(client));
    const notices = createSlackNotices({ client, budget, watchers, settings, readNames });
    const rightOfWay = createRightOfWay();
    const follower = new Follower({
      requests: createRequests(db),
      leases: createRequestLeases(db),
      connections: createConnections(db),
      followed: createFollowedRunsStore(db),
      runs,
      messages,
      notices,
      toTell: createNotices(db),
      lengths: createRunLengths(db),
      ...rightOfWay,
      logger,
    });
    const wake = () => follower.wake();
    const slack = createSlackApp({
      ...config.slack,
      ...rightOfWay,
      ...{ client, tokenWatch, runsApiUrl: remote.baseUrl },
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
    const health = config.health ? [createHealthServer(config.health)] : [];
    for (const part of [follower, slack, ...health]) {
      started.push(part);
      await part.start();
    }
  }

  async function stop(): Promise<void> {
    const parts = started.reverse();
    started = [];
    for (const part of parts) await part.stop();
  }

  return {
    stop,
    async start() {
      if (started.length > 0) return;
      await start().catch(async (error: unknown) => {
        await stop();
        throw error;
      });
    },
  };
}
