import { byKey } from 'base/by-key';
import { type DatabaseOptions, openForRequests } from 'base/database/database';
import { waitForDatabase } from 'base/database/wait-for-database';
import type { Logger } from 'base/logger';
import type { Part } from 'base/process/run-until-signaled';
import { openEncryption } from 'base/secrets/encryption-keys';
import { createDeadlines } from 'base/time/deadlines';
import { openRunRemover } from 'runs-service/artifacts/remove-runs';
import { createAuditWorker } from '../audit/audit-worker.ts';
import { readAppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { createExamination } from '../doctor/examine-running.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
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
import { createWorkspace, type WorkspaceParts } from '../slack/workspace.ts';
import { createBacklog } from '../store/backlog.ts';
import type { Db } from '../store/schema.ts';
import { createStore, type Store } from '../store/store.ts';
import { createBackgroundWork } from './background-work.ts';
import { createHealth, type Health, readBotProblems } from './health.ts';
import { createRetention } from './retention.ts';
import { openRunsApi, type RunsApiParts } from './runs-api.ts';

type Stoppable = { stop(): Promise<void> };

/** How long an acknowledgement waits for Slack's API or the runs API. Slack allows three seconds in all. */
const slackAckWaitMs = 700;

/** How long a stop waits for pending calls. The next start repeats what was aborted: the store knows. */
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
  dispatcher?: RunsApiParts['dispatcher'];
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

/** Opens the database, and waits for it. @returns undefined if the start is aborted first */
async function openStore(
  { databaseUrl, encryptionKeys }: BotConfig,
  { started, signal, deadlines, logger, instead }: StartParts,
  reports: Instead['reports'] | Metrics['reports'],
) {
  const encryption = openEncryption(encryptionKeys, logger);
  const opening = { encryption, stopping: deadlines.signals.store, ...reports };
  const { openDatabase: open } = instead;
  const db = await waitForDatabase(databaseUrl, {
    ...opening,
    signal,
    logger,
    ...(open && { open }),
  });
  if (!db) return undefined;
  started.push({ stop: () => db.destroy() });
  const prompt = openForRequests(db, databaseUrl, opening, instead.storeWaitMs);
  started.push({ stop: () => prompt.destroy() });
  return { db, store: createStore(db, prompt), backlog: createBacklog(db) };
}

type KeepingParts = Pick<StartParts, 'started' | 'logger'> & {
  db: Db;
};

/** Chains the audit log, and deletes what is too old. */
function startKeeping(
  { auditUrl: url, auditDays, retentionDays: requestDays, runsApi }: BotConfig,
  { auditing: audit, removal, workspaceRemoval: workspaces }: Store,
  { db, started, logger }: KeepingParts,
): void {
  const remover = 'embedded' in runsApi ? openRunRemover(db, runsApi.embedded) : undefined;
  const keeping = [
    createAuditWorker({ audit, url, logger }),
    createRetention({
      requestDays,
      auditDays,
      isAuditSent: url !== undefined,
      removal,
      workspaces,
      audit,
      logger,
      removeRuns: async (ids) => remover?.byId(ids),
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
  known: Omit<
    WorkspaceParts,
    'budget' | 'ackWaitMs' | 'callTimeoutMs' | 'isOnBehalf' | 'publicUrl'
  >,
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
  const reports = instead.reports ?? metrics?.reports;
  const opened = await openStore(config, parts, reports);
  if (!opened || signal.aborted) return;
  const { db, store, backlog } = opened;

  const clock = createSlackClock();
  const { apiUrl } = config.slack;
  const calling = { apiUrl, clock, stopping: deadlines.signals.slack, logger, ...reports };
  const installations = createInstallations(config.slack, { ...calling, ...store });
  const scopes = readAppScopes(config.onBehalfOf !== undefined);
  const known = { ...calling, installations, scopes, store, policyFile };
  const workspaceOf = openWorkspaces(config, parts, known);

  const clients = await openRunsApi(config, {
    db,
    store,
    metrics,
    logger,
    started,
    stopping: deadlines.signals.runsApi,
    clearDeadlines: deadlines.clear,
    dispatcher: instead.dispatcher,
    visibility: createSignedIn({ ...store, workspaceOf, isShared: installations.isShared }),
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
    clock,
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
  startKeeping(config, store, { ...parts, db });
  const workers = [slack, follower, outbox];
  started.push({ stop: async () => void (await Promise.all(workers.map((each) => each.stop()))) });
  outbox.start();
  follower.start();
  health?.waitFor('waiting for Slack');
  metrics?.watchBot({ backlog, slack, follower });
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
