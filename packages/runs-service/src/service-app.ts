import { createRunsApp, type OnAnswer } from './api/app.ts';
import { createArtifactRoutes, createDownloadRoutes } from './api/artifact-routes.ts';
import { createCatalogRoutes } from './api/catalog-routes.ts';
import type { ChangeFeed } from './api/feed/change-feed.ts';
import { createEventsRoutes } from './api/feed/events-routes.ts';
import { createAuthenticate } from './api/keys/authentication.ts';
import { createKeyring, type ServiceKey } from './api/keys/keyring.ts';
import { createOpenapiRoutes } from './api/openapi.ts';
import { createReadyRoutes } from './api/ready-routes.ts';
import { createQuestionDesk } from './api/runs/answer-question.ts';
import { createPublishingRequests } from './api/runs/publishing-requests.ts';
import { createRunControl } from './api/runs/run-control.ts';
import { createReadResults } from './api/runs/run-results.ts';
import { createRunsRoutes } from './api/runs/runs-routes.ts';
import { createVisibleRuns } from './api/runs/visible-runs.ts';
import { defaultPath } from './execution/files/run-files.ts';
import { createAssetRoutes } from './pages/asset-routes.ts';
import { answerWithPage } from './pages/problem-page.ts';
import { createRunListRoutes } from './pages/run-list/list-routes.ts';
import { createSessionAccess, type SessionLinkOptions } from './pages/session/session-access.ts';
import { createSessionRoutes } from './pages/session/session-routes.ts';
import { createSignIn } from './pages/sign-in/sign-in.ts';
import { createDispatchRoutes } from './remote/dispatch/dispatch-routes.ts';
import { limitsElsewhere } from './remote/dispatch/limits-elsewhere.ts';
import type { Sandboxes } from './sandbox/sandboxes.ts';
import type { ServiceCore, ServiceCoreOptions } from './service-core.ts';
import { createKeyStore } from './store/key-store.ts';
import { listStoredRuns } from './store/run-list.ts';
import { createServiceBacklog } from './store/service-backlog.ts';

export type ServiceAppOptions = ServiceCoreOptions &
  SessionLinkOptions & {
    keys: readonly ServiceKey[];
    /** The URL of the service for browsers, used in links to sessions; by default the address it listens on. */
    publicUrl?: string | undefined;
    /** For the sign-in page: where people get a key. */
    keyHint?: string | undefined;
    /** Limit per owner of keys; above it, requests get 429. */
    requestsPerMinute?: number | undefined;
    onAnswer?: OnAnswer | undefined;
  };

type Parts = {
  core: ServiceCore;
  sandboxes: Sandboxes;
  feed: ChangeFeed;
  /** This process's name in the store. */
  owner: string;
  /** Where the service listens. */
  url: () => string;
  /** When outputs and patches are deleted. */
  transcriptAgeMs: number;
  stopping: AbortSignal;
};

/** Everything that the service answers over HTTP: the API and the pages. */
export function createServiceApp(options: ServiceAppOptions, parts: Parts) {
  const { db, logger, path = defaultPath } = options;
  const { core, sandboxes, feed, owner, url, transcriptAgeMs, stopping } = parts;
  const { runs, readProgress, artifacts, files, runQueue } = core;
  const environments = () => options.environments.current();
  const publicUrl = () => options.publicUrl ?? url();
  const keyring = createKeyring(options.keys, createKeyStore(db));
  const isBehindProxy = () => options.publicUrl?.startsWith('https:') ?? false;
  const authenticate = createAuthenticate({ keyring, isBehindProxy });
  const signIn = createSignIn({ ...options, keyring, authenticate, publicUrl });
  const visibleRuns = createVisibleRuns(runs, (query) => listStoredRuns(db, query));
  const desk = createQuestionDesk(core.questions);
  return createRunsApp({
    requestsPerMinute: options.requestsPerMinute,
    onAnswer: options.onAnswer,
    problemPage: answerWithPage,
    authenticate,
    api: [
      createEventsRoutes({ feed, authenticate, stopping, logger }),
      createRunsRoutes({
        runs,
        visibleRuns,
        queue: core.queueStore,
        readProgress,
        environments,
        publishing: createPublishingRequests(core),
        readResults: createReadResults(core),
        control: createRunControl({
          runs,
          followups: core.followups,
          desk,
          abort: (runId) => runQueue.cancel(runId),
          wake: () => runQueue.wake(),
        }),
        sessionLink: (run) => `${publicUrl()}/session/${run.session_token}`,
      }),
      createArtifactRoutes({ artifacts, visibleRuns, publicUrl, url }),
      createCatalogRoutes({
        environments: options.environments,
        sandboxes,
        path,
        skills: core.skills,
        problemElsewhere: (environment) => core.problemElsewhere(environment, stopping),
      }),
    ],
    open: [
      createReadyRoutes({ ping: createServiceBacklog(db).ping, queue: runQueue }),
      createDownloadRoutes(core),
      createDispatchRoutes({
        ...core,
        environments,
        feed,
        stopping,
        logger,
        limits: limitsElsewhere(options),
        take: (runId) => runQueue.take(runId),
        onEnd: core.dispatchPoller.wake,
      }),
      createOpenapiRoutes(() => `${publicUrl()}/api/v1`),
      createAssetRoutes(),
      signIn.routes,
      createRunListRoutes({
        ...signIn,
        visibleRuns,
        environmentIds: () => environments().map(({ id }) => id),
      }),
      createSessionRoutes({
        ...createSessionAccess({ ...options, ...signIn, runs }),
        runs,
        progress: core.progress,
        readProgress,
        environments,
        warningOf: sandboxes.warningOf,
        files,
        owner,
        artifacts,
        readContent: core.readContent,
        answerByForm: desk.answerByForm,
        transcriptAgeMs,
        followupsOf: core.followups.listOf,
        stopping,
        logger,
      }),
    ],
    logger,
  });
}
