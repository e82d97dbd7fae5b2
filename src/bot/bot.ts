import type { Logger } from 'base/logger';
import { createMetrics, type Metrics } from 'base/metrics/metrics';
import type { Lifecycle } from 'base/process/run-until-signaled';
import { createDeadlines } from 'base/time/deadlines';
import { createAuditWebhook } from '../audit/audit-webhook.ts';
import { readAppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { createBotDiagnostics } from '../doctor/bot-diagnostics.ts';
import { createBotReader } from '../metrics/bot-readings.ts';
import { createBotReports } from '../metrics/bot-reports.ts';
import { botSeries } from '../metrics/series.ts';
import { openPolicyFile } from '../policy/policy-file.ts';
import { createSignedIn } from '../slack/people/signed-in.ts';
import { createSlackClock } from '../slack/posting/slack-clock.ts';
import { createSlack } from '../slack/slack.ts';
import type { Backlog } from '../store/backlog.ts';
import type { Store } from '../store/store.ts';
import { connectRunsService } from './connect-runs-service.ts';
import { createHealth, type Health, readBotProblems } from './health.ts';
import { createHooks } from './hooks.ts';
import type { Instead, Reports } from './instead.ts';
import { openStore } from './open-store.ts';
import { createRetention } from './retention.ts';
import { createWorkers } from './workers.ts';
import { createWorkspaces } from './workspaces.ts';

/** Max time that an acknowledgement waits for Slack's API or the runs API, in ms. Slack allows three seconds in all. */
const slackAckWaitMs = 700;

/** Max times in ms that stopping the bot waits for pending calls. Aborted calls are repeated at the next start. */
const stopWithinMs = { runsApi: 1_500, slack: 2_000, store: 3_500 };

/** Values that all steps of one start of the bot share. */
type Start = {
  /** Components that were started, to stop them later. Listed in the order of their starts. */
  started: { stop(): Promise<void> }[];
  /** Aborts when the bot is stopped before it's up. */
  signal: AbortSignal;
  deadlines: ReturnType<typeof createDeadlines<keyof typeof stopWithinMs>>;
  logger: Logger;
  instead: Instead;
};

/** Creates every component of the bot, connects them, and starts them in order. */
async function startParts(config: BotConfig, start: Start): Promise<void> {
  const { started, signal, deadlines, logger, instead } = start;
  const { ackWaitMs = slackAckWaitMs } = instead;
  const stopping = deadlines.signals.slack;
  const policyFile = startPolicyFile(config, start);
  const health = await startHealth(config, start);
  const metrics = await startMetrics(config, start);
  const meters = metrics?.register(botSeries);
  const reports: Reports = instead.reports ?? (meters ? createBotReports(meters) : {});

  const opened = await openStore(config, { started, signal, deadlines, metrics, logger, instead });
  if (!opened || signal.aborted) return;
  const { db, store, backlog } = opened;

  const clock = createSlackClock();
  const scopes = readAppScopes(config.onBehalfOf !== undefined);
  const { installations, workspaceOf } = createWorkspaces(config, {
    store,
    scopes,
    policyFile,
    clock,
    ackWaitMs,
    stopping,
    reports,
    logger,
    instead,
  });

  const { owner, requests } = store;
  const { clients, removeRuns } = await connectRunsService(config, {
    db,
    keys: store.keys,
    visibility: createSignedIn({ owner, requests, workspaceOf, isShared: installations.isShared }),
    metrics,
    onAttempt: reports.onAttempt,
    dispatcher: instead.dispatcher,
    started,
    deadlines,
    logger,
  });
  const { connect, outbox, follower, automations, wake } = createWorkers({
    store,
    clients,
    workspaceOf,
    automationPlaceOf: (teamId) => slack.automationPlaceOf(teamId),
    clock,
    apiUrl: config.slack.apiUrl,
    reports,
    logger,
  });
  const slack = createSlack({
    apiUrl: config.slack.apiUrl,
    delivery: config.slack.delivery,
    oauth: config.slack.oauth,
    installations,
    workspaceOf,
    hooks: createHooks(config, { store, health, wake, logger }),
    server: health?.server,
    answerHealth: health?.answer,
    servePages: health?.servePages,
    receivers: instead.receivers,
    reports,
    stopping,
    ackWaitMs,
    store,
    connect,
    clients,
    limits: config.limits ?? {},
    unfurlDomains: config.unfurlDomains ?? [],
    runDiagnostics: createBotDiagnostics({
      config,
      scopes,
      backlog,
      environments: clients.operator.environments,
      keys: store.keys,
      connect,
      readToken: (teamId) => installations.tokensOf(teamId).read(),
      signal: stopping,
    }),
    wake,
    logger,
  });

  startKeeping(config, { store, removeRuns, started, logger });
  if (meters) metrics?.addReader(createBotReader(meters, { backlog, slack, follower }));
  started.push(stoppedTogether(slack, follower, outbox, automations));
  await startWork({ slack, outbox, follower, automations, backlog, health, signal });
}

type WorkDeps = Pick<ReturnType<typeof createWorkers>, 'outbox' | 'follower' | 'automations'> & {
  slack: ReturnType<typeof createSlack>;
  backlog: Backlog;
  health: Health | undefined;
  signal: AbortSignal;
};

/** Starts all work. Automations start last, because they need Slack. */
async function startWork(deps: WorkDeps): Promise<void> {
  const { slack, outbox, follower, automations, backlog, health, signal } = deps;
  outbox.start();
  follower.start();
  health?.waitFor('waiting for Slack');
  await slack.start(signal);
  if (signal.aborted) return;
  automations.start();
  health?.started(() => readBotProblems({ backlog, slack, follower }));
}

/** Combines components so that they stop at the same time, because they share the time limit for stopping. */
const stoppedTogether = (...parts: { stop(): Promise<void> }[]) => ({
  stop: async () => void (await Promise.all(parts.map((each) => each.stop()))),
});

/** Reads the policy file, if there is one. Applies later changes of the file until the bot stops. */
function startPolicyFile({ policyFile: path }: BotConfig, { started, logger }: Start) {
  if (path === undefined) return undefined;
  const policyFile = openPolicyFile(path, logger);
  policyFile.start();
  started.push(policyFile);
  return policyFile;
}

/** Starts serving `/healthz` and `/readyz`. Does nothing if no port is configured for them. */
async function startHealth(
  { slack: { delivery }, health: address }: BotConfig,
  { started, signal }: Start,
): Promise<Health | undefined> {
  const at = delivery.mode === 'http' ? delivery : address;
  if (!at) return undefined;
  const health = createHealth(at);
  started.push(health);
  await health.start();
  health.waitFor('waiting for the database');
  signal.addEventListener('abort', () => health.waitFor('stopping'));
  return health;
}

/** Starts serving `/metrics`. Does nothing if no port is configured. */
async function startMetrics(
  { metrics: address }: BotConfig,
  { started }: Start,
): Promise<Metrics | undefined> {
  if (!address) return undefined;
  const metrics = createMetrics(address);
  started.push(metrics);
  await metrics.start();
  return metrics;
}

type KeepingDeps = {
  store: Store;
  /** Deletes runs of the embedded runs service. */
  removeRuns(ids: readonly string[]): Promise<void>;
  started: Start['started'];
  logger: Logger;
};

/** Starts sending the audit log to its webhook and deleting old data. */
function startKeeping(
  { auditUrl, auditDays, retentionDays }: BotConfig,
  { store, removeRuns, started, logger }: KeepingDeps,
): void {
  const retention = createRetention({
    requestDays: retentionDays,
    auditDays,
    isAuditSent: auditUrl !== undefined,
    removal: store.removal,
    workspaces: store.workspaceRemoval,
    firings: store.firingRemoval,
    audit: store.auditing,
    removeRuns,
    logger,
  });
  const webhook = auditUrl && createAuditWebhook({ audit: store.auditing, url: auditUrl, logger });
  for (const part of webhook ? [webhook, retention] : [retention]) {
    started.push(part);
    part.start();
  }
}

/** Creates the bot. It can be stopped while it's still starting, and started again after a stop. */
export function createBot(config: BotConfig, logger: Logger, instead: Instead = {}): Lifecycle {
  let running: ReturnType<typeof begin> | undefined;

  function begin() {
    const started: Start['started'] = [];
    const starting = new AbortController();
    const deadlines = createDeadlines(stopWithinMs);
    async function stopParts(): Promise<void> {
      deadlines.begin();
      for (const part of started.splice(0).reverse()) await part.stop();
      deadlines.clear();
    }
    const { signal } = starting;
    const up = startParts(config, { started, signal, deadlines, logger, instead });
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
