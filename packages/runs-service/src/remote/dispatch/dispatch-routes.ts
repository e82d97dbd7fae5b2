import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ApiProblem } from '../../api/problem.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import { findEnvironment } from '../../environments/environments.ts';
import { deadlineSecondsOf } from './deadlines.ts';
import { createFileRoutes, type FileRoutesOptions } from './file-routes.ts';
import { createReceivedFiles } from './received-files.ts';
import { createReportRoutes, type ReportRoutesOptions } from './report-routes.ts';
import { createWorkerAccess, type FindEnvironment, type WorkerVariables } from './worker-access.ts';

type DispatchRoutesOptions = Omit<
  FileRoutesOptions & ReportRoutesOptions,
  'received' | 'environmentOf' | 'deadlineOf'
> & { environments: () => readonly ServiceEnvironment[] };

/** A hundred of the longest notes take 3 MB. */
const maxReportBytes = 8 * 1024 * 1024;

/** Everything that `run-one` fetches and reports, below `/dispatched/<run id>`. */
export function createDispatchRoutes(options: DispatchRoutesOptions) {
  const environmentOf: FindEnvironment = ({ environment_id: id }) => {
    const environment = findEnvironment(options.environments(), id);
    if (environment) return environment;
    throw new ApiProblem('cannot_be_processed', `Environment "${id}" no longer exists.`);
  };
  const parts = {
    ...options,
    environmentOf,
    deadlineOf: deadlineSecondsOf,
    received: createReceivedFiles(options.files),
  };
  const routes = new Hono<{ Variables: WorkerVariables }>();
  routes.use('/dispatched/:run/*', createWorkerAccess(options));
  routes.post('/dispatched/:run/*', bodyLimit({ maxSize: maxReportBytes }));
  routes.route('/dispatched/:run', createReportRoutes(parts));
  routes.route('/dispatched/:run', createFileRoutes(parts));
  return new Hono().route('/', routes);
}
