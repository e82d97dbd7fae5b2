import { createReadyRoutes, createRunsApp } from './api/app.ts';
import { createArtifactRoutes, createDownloadRoutes } from './api/artifact-routes.ts';
import { createCatalogRoutes } from './api/catalog-routes.ts';
import type { ChangeFeed } from './api/change-feed.ts';
import { createEventsRoutes } from './api/events-routes.ts';
import { type Authenticate, createAuthenticate } from './api/keys/authentication.ts';
import type { Keyring } from './api/keys/keyring.ts';
import { createOpenapiRoutes } from './api/openapi.ts';
import { type AnswerHandler, createAnswerHandler } from './api/runs/answer-handler.ts';
import { createRunControl } from './api/runs/run-control.ts';
import { createReadResults } from './api/runs/run-results.ts';
import { createRunsRoutes } from './api/runs/runs-routes.ts';
import { createVisibleRuns, type VisibleRuns } from './api/runs/visible-runs.ts';
import { createScheduleRoutes } from './api/schedules/schedule-routes.ts';
import { createUsageRoutes } from './api/usage-routes.ts';
import { defaultArtifactLimits } from './artifacts/left-files.ts';
import { createAssetRoutes } from './pages/assets.ts';
import { answerWithPage } from './pages/page.ts';
import { createRunListRoutes } from './pages/run-list.ts';
import { createReadSession } from './pages/session/read-session.ts';
import { createSessionAccess } from './pages/session/session-access.ts';
import { createSessionDownloads } from './pages/session/session-downloads.ts';
import { createSessionRoutes } from './pages/session/session-routes.ts';
import { createSignIn } from './pages/sign-in.ts';
import { createDispatchRoutes } from './remote/dispatch/dispatch-routes.ts';
import type { ServiceCore } from './service-core.ts';
import type { RunsServiceOptions } from './service-options.ts';
import { isBehindProxy, transcriptAgeMsOf } from './service-options.ts';
import { listStoredRuns } from './store/run-list.ts';
import { createServiceBacklog } from './store/service-backlog.ts';
import { createUsageSums } from './store/usage-sums.ts';

/**
 * Max output of a remote run, in bytes. It's larger than for local runs, because nobody can see the files on the
 * runner's machine later.
 */
const remoteOutputBytes = 50 * 1024 * 1024;

type Shared = {
  options: RunsServiceOptions;
  core: ServiceCore;
  visibleRuns: VisibleRuns;
  answerHandler: AnswerHandler;
  /** Returns the URL at which browsers reach the service. */
  publicUrl: () => string;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
};

/** Creates the HTTP part of the service: the API and the pages. */
export function createServiceApp(
  options: RunsServiceOptions,
  core: ServiceCore,
  feed: ChangeFeed,
  { url, stopping }: { url: () => string; stopping: AbortSignal },
) {
  const { db, logger } = options;
  const { stores, artifacts, runQueue, keyring, scheduleWorker } = core;
  const publicUrl = () => options.publicUrl ?? url();
  const authenticate = createAuthenticate({
    keyring,
    isBehindProxy: () => isBehindProxy(options),
  });
  const visibleRuns = createVisibleRuns(stores.runs, (query) => listStoredRuns(db, query));
  const answerHandler = createAnswerHandler(stores.questions);
  const shared = { options, core, visibleRuns, answerHandler, publicUrl, stopping };
  return createRunsApp({
    authenticate,
    requestsPerMinute: options.requestsPerMinute,
    onAnswer: options.onAnswer,
    problemPage: answerWithPage,
    api: [
      createEventsRoutes({ feed, authenticate, stopping, logger }),
      runsRoutes(shared),
      createScheduleRoutes({
        schedules: stores.schedules,
        environments: core.environments,
        wake: () => scheduleWorker.wake(),
      }),
      createArtifactRoutes({ artifacts, visibleRuns, publicUrl, url }),
      createUsageRoutes(createUsageSums(db), Date.now),
      createCatalogRoutes({
        environments: options.environments,
        skills: core.machine.skills,
        sandboxes: core.machine.sandboxes,
        path: core.machine.path,
        runnerProblem: (environment) => core.runnerProblem(environment, stopping),
      }),
    ],
    open: [
      createReadyRoutes({ ping: createServiceBacklog(db).ping, queue: runQueue }),
      createOpenapiRoutes(() => `${publicUrl()}/api/v1`),
      createDownloadRoutes({ artifacts, readContent: core.readContent }),
      createDispatchRoutes({
        stores,
        artifacts,
        contents: core.contents,
        files: core.machine.files,
        environments: core.environments,
        limits: {
          output_bytes: options.outputLimitBytes ?? remoteOutputBytes,
          patch_bytes: core.limits.patchLimitBytes,
          artifacts: options.artifactLimits ?? defaultArtifactLimits,
          kill_grace_ms: core.limits.killGraceMs,
        },
        feed,
        stopping,
        usages: core.usages,
        take: (runId) => runQueue.take(runId),
        onEnd: core.dispatchPoller.wake,
        logger,
      }),
      ...pageRoutes(shared, keyring, authenticate),
    ],
    logger,
  });
}

function runsRoutes({ core, visibleRuns, answerHandler, publicUrl }: Shared) {
  const { stores, environments, artifacts, publications } = core;
  const { runs, followups } = stores;
  const { files } = core.machine;
  return createRunsRoutes({
    runs,
    modelCalls: stores.modelCalls,
    queue: stores.queueStore,
    visibleRuns,
    readProgress: core.readProgress,
    readResults: createReadResults({ publications, artifacts, environments, files }),
    environments,
    control: createRunControl({
      runs,
      followups,
      answerHandler,
      queue: core.runQueue,
      publisher: core.publisher,
      publications,
      environments,
    }),
    sessionLink: (run) => `${publicUrl()}/session/${run.session_token}`,
  });
}

function pageRoutes(
  { options, core, visibleRuns, answerHandler, publicUrl, stopping }: Shared,
  keyring: Keyring,
  authenticate: Authenticate,
) {
  const { slackSignIn, keyHint, logger } = options;
  const { stores, machine, environments, readProgress, artifacts, readContent } = core;
  const { runs, progress } = stores;
  const { files } = machine;
  const signIn = createSignIn({ keyring, authenticate, publicUrl, slackSignIn, keyHint, logger });
  const access = createSessionAccess({
    runs,
    signIn,
    slackSignIn,
    linkDays: options.sessionLinkDays,
    needsSignIn: options.sessionPageLogin,
  });
  const readSession = createReadSession({
    stores,
    artifacts,
    readProgress,
    environments,
    machine,
    owner: core.owner,
    transcriptAgeMs: transcriptAgeMsOf(options),
    nameCreator: options.nameCreator,
  });
  return [
    createAssetRoutes(),
    signIn.routes,
    createRunListRoutes({
      signIn,
      visibleRuns,
      environmentIds: () => environments().map(({ id }) => id),
    }),
    createSessionRoutes({
      access,
      readSession,
      answerByForm: answerHandler.answerByForm,
      runs,
      progress,
      files,
      stopping,
      logger,
    }),
    createSessionDownloads({ access, files, artifacts, readContent }),
  ];
}
