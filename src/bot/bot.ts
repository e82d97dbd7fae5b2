import { byKey } from 'base/by-key';
import type { DatabaseOptions } from 'base/database/database';
import type { Logger } from 'base/logger';
import { createMetrics, type Metrics } from 'base/metrics/metrics';
import type { Part } from 'base/process/run-until-signaled';
import { createDeadlines } from 'base/time/deadlines';
import { createAuditWebhook } from '../audit/audit-webhook.ts';
import { readAppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { createExamination } from '../doctor/examine-running.ts';
import type { ConnectionClientsDeps } from '../following/connection-clients.ts';
import { createBotReader } from '../metrics/bot-readings.ts';
import { createBotReports } from '../metrics/bot-reports.ts';
import { botSeries } from '../metrics/series.ts';
import { openPolicyFile } from '../policy/policy-file.ts';
import type { OnSlackCall } from '../slack/connection/calls/slack-fetch.ts';
import type { OnDelivery } from '../slack/connection/deliveries/pipeline.ts';
import { createInstallations } from '../slack/connection/installations/create-installations.ts';
import type { CreateReceivers } from '../slack/connection/receivers.ts';
import type { OnHello } from '../slack/connection/socket-receiver.ts';
import { createSignedIn } from '../slack/people/signed-in.ts';
import type { SlackBudget } from '../slack/posting/slack-budget.ts';
import { createSlackClock } from '../slack/posting/slack-clock.ts';
import { createSlack } from '../slack/slack.ts';
import { createWorkspace, type WorkspaceDeps } from '../slack/workspace.ts';
import type { Db } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { createBackgroundWork } from './background-work.ts';
import { connectRunsService } from './connect-runs-service.ts';
import { createHealth, type Health, readBotProblems } from './health.ts';
import { openStore } from './open-store.ts';
import { createRetention } from './retention.ts';

type Stoppable = { stop(): Promise<void> };

/** Time that an acknowledgement waits for Slack's API or the runs API. Slack allows three seconds in all. */
const slackAckWaitMs = 700;

/** Time that a stop waits for pending calls. The next start repeats aborted work, because the store knows it. */
const stopWithinMs = { runsApi: 1_500, slack: 2_000, store: 3_500 };

type StartParts = {
  /** Parts to stop, in the order of their starts. */
  started: Stoppable[];
  signal: AbortSignal;
  deadlines: ReturnType<typeof createDeadlines<keyof typeof stopWithinMs>>;
  ackWaitMs: number;
  logger: Logger;
  instead: Instead;
};

/** Replacements of parts, for tests, trials and `slash-agent check-slack`. */
type Instead = {
  /** Undefined: one for each workspace. */
  budget?: SlackBudget;
  receivers?: CreateReceivers;
  dispatcher?: ConnectionClientsDeps['operator']['dispatcher'];
  ackWaitMs?: number;
  slackCallTimeoutMs?: number;
  personWaitMs?: number;
  storeWaitMs?: number;
  openDatabase?(options: DatabaseOptions): Promise<Db>;
  reports?: { onSlackCall: OnSlackCall; onDelivery: OnDelivery; onHello: OnHello };
};

/** Serves `/healthz` and `/readyz` until the stop, if there is a port for them. */
async function startHealth(
  { slack: { delivery }, health: address }: BotConfig,
  { started, signal }: Pick<StartParts, 'started' | 'signal'>,
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

/** Serves `/metrics` until the stop, if there is a port for it. */
async function startMetrics(
  { metrics: address }: BotConfig,
  { started }: Pick<StartParts, 'started'>,
): Promise<Metrics | undefined> {
  if (!address) return undefined;
  const metrics = createMetrics(address);
  started.push(metrics);
  await metrics.start();
  return metrics;
}

type KeepingParts = Pick<StartParts, 'started' | 'logger'> & {
  removeRuns(ids: readonly string[]): Promise<void>;
};

/** Sends the audit log to its webhook, and deletes what is too old. */
function startKeeping(
  { auditUrl: url, auditDays, retentionDays: requestDays }: BotConfig,
  { auditing: audit, removal, workspaceRemoval: workspaces }: Store,
  { removeRuns, started, logger }: KeepingParts,
): void {
  const keeping = [
    ...(url === undefined ? [] : [createAuditWebhook({ audit, url, logger })]),
    createRetention({
      requestDays,
      auditDays,
      isAuditSent: url !== undefined,
      removal,
      workspaces,
      audit,
      logger,
      removeRuns,
    }),
  ];
  for (const part of keeping) {
    started.push(part);
    part.start();
  }
}

/** Workspaces by id, each created when it's first needed. */
const openWorkspaces = (
  { onBehalfOf, slack }: BotConfig,
  { ackWaitMs, instead }: Pick<StartParts, 'ackWaitMs' | 'instead'>,
  known: Omit<WorkspaceDeps, 'budget' | 'ackWaitMs' | 'callTimeoutMs' | 'isOnBehalf' | 'publicUrl'>,
) =>
  byKey((teamId) =>
    createWorkspace(teamId, {
      ...known,
      budget: instead.budget,
      ackWaitMs,
      callTimeoutMs: instead.slackCallTimeoutMs,
      personWaitMs: instead.personWaitMs,
      isOnBehalf: onBehalfOf !== undefined,
      publicUrl: slack.oauth?.publicUrl,
    }),
  );

/** The wiring: creates every part, connects them, and starts one after another. */
async function startParts(config: BotConfig, parts: StartParts): Promise<void> {
  const { started, signal, deadlines, ackWaitMs, logger, instead } = parts;
  const policyFile = config.policyFile ? openPolicyFile(config.policyFile, logger) : undefined;
  policyFile?.start();
  if (policyFile) started.push(policyFile);
  const health = await startHealth(config, parts);
  const metrics = await startMetrics(config, parts);
  const meters = metrics?.register(botSeries);
  const reports = { ...(meters && createBotReports(meters)), ...instead.reports };
  const opened = await openStore(config, { ...parts, metrics });
  if (!opened || signal.aborted) return;
  const { db, store, backlog } = opened;

  const clock = createSlackClock();
  const { apiUrl } = config.slack;
  const calling = { apiUrl, clock, stopping: deadlines.signals.slack, logger, ...reports };
  const installations = createInstallations(config.slack, { ...calling, ...store });
  const scopes = readAppScopes(config.onBehalfOf !== undefined);
  const known = { ...calling, installations, scopes, store, policyFile };
  const workspaceOf = openWorkspaces(config, parts, known);

  const visibility = createSignedIn({ ...store, workspaceOf, isShared: installations.isShared });
  const { clients, removeRuns } = await connectRunsService(config, {
    db,
    store,
    metrics,
    reports,
    visibility,
    started,
    deadlines,
    dispatcher: instead.dispatcher,
    logger,
  });
  const { connect, outbox, follower, wake } = createBackgroundWork({
    store,
    clients,
    workspaceOf,
    clock,
    apiUrl,
    reports,
    logger,
  });
  const slack = createSlack({
    ...config.slack,
    reports,
    installations,
    workspaceOf,
    server: health?.server,
    answerHealth: health?.answer,
    stopping: deadlines.signals.slack,
    servePages: health?.servePages,
    receivers: instead.receivers,
    ackWaitMs,
    store,
    connect,
    clients,
    limits: config.limits ?? {},
    runLinkDomains: config.runLinkDomains ?? [],
    examine: createExamination({
      config,
      scopes,
      backlog,
      environments: clients.operator.environments,
      keys: store.keys,
      connect,
      readToken: (teamId: string) => installations.tokensOf(teamId).read(),
      signal: deadlines.signals.slack,
    }),
    wake,
    logger,
  });
  startKeeping(config, store, { started, logger, removeRuns });
  const workers = [slack, follower, outbox];
  started.push({ stop: async () => void (await Promise.all(workers.map((each) => each.stop()))) });
  outbox.start();
  follower.start();
  health?.waitFor('waiting for Slack');
  if (meters) metrics?.addReader(createBotReader(meters, { backlog, slack, follower }));
  await slack.start(signal);
  if (!signal.aborted) health?.started(() => readBotProblems({ backlog, slack, follower }));
}

/** The bot as one part. It can be stopped while it's still starting, and started again after a stop. */
export function createBot(config: BotConfig, logger: Logger, instead: Instead = {}): Part {
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
    const { ackWaitMs = slackAckWaitMs } = instead;
    const parts = { started, signal, deadlines, ackWaitMs, logger, instead };
    const up = startParts(config, parts);
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
