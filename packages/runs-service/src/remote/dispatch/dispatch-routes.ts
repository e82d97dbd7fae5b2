import type { Logger } from 'base/logger';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ChangeFeed } from '../../api/change-feed.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { ContentStore } from '../../artifacts/content-store.ts';
import { createReadContent } from '../../artifacts/open-contents.ts';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import type { RunUsages } from '../../gateway/run-usage.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { Stores } from '../../store/stores.ts';
import type { RemoteLimits } from './compose-work.ts';
import { createFileRoutes } from './file-routes.ts';
import { createQuestionRoutes } from './question-routes.ts';
import { createReceivedFiles } from './received-files.ts';
import { createReportRoutes } from './report-routes.ts';
import { createWorkerAccess, type FindEnvironment, type WorkerVariables } from './worker-access.ts';

/** Max size of a report, in bytes. A report with a hundred of the longest notes has 3 MB. */
const maxReportBytes = 8 * 1024 * 1024;

/** Creates the routes that `run-one` calls, below `/dispatched/<run id>`. */
export function createDispatchRoutes({
  stores,
  artifacts,
  contents,
  files,
  environments,
  limits,
  feed,
  stopping,
  usages,
  take,
  onEnd,
  logger,
}: {
  stores: Stores;
  artifacts: ArtifactStore;
  contents: ContentStore;
  files: RunFiles;
  environments: () => readonly ServiceEnvironment[];
  limits: RemoteLimits;
  feed: ChangeFeed;
  stopping: AbortSignal;
  usages: RunUsages;
  /** Makes this process follow the run, even if another process follows it now. */
  take: (runId: string) => Promise<void>;
  /** Called when the end of a run was stored. */
  onEnd: () => void;
  logger: Logger;
}) {
  const { questions } = stores;
  const received = createReceivedFiles(files);
  const environmentOf: FindEnvironment = ({ environment_id: id }) => {
    const environment = findEnvironment(environments(), id);
    if (environment) return environment;
    throw new ApiProblem('cannot_be_processed', `Environment "${id}" no longer exists.`);
  };
  const routes = new Hono<{ Variables: WorkerVariables }>();
  routes.use('/dispatched/:run/*', createWorkerAccess(stores));
  routes.post('/dispatched/:run/*', bodyLimit({ maxSize: maxReportBytes }));
  routes.route(
    '/dispatched/:run',
    createReportRoutes({
      stores,
      artifacts,
      readContent: createReadContent(contents),
      files,
      received,
      environmentOf,
      limits,
      waiting: { feed, stopping },
      usages,
      take,
      onEnd,
      logger,
    }),
  );
  routes.route(
    '/dispatched/:run',
    createQuestionRoutes({ questions, environmentOf, waiting: { feed, stopping } }),
  );
  routes.route(
    '/dispatched/:run',
    createFileRoutes({ stores, contents, files, received, environmentOf, limits }),
  );
  return new Hono().route('/', routes);
}
