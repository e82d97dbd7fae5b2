import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import { Hono } from 'hono';
import { listen } from 'runs-service/api/listen';
import { ApiProblem, problemResponse } from 'runs-service/api/problem';
import { createApiRoutes } from './api-routes.ts';
import { createPageRoutes } from './page-routes.ts';
import { createPullRequests } from './pull-requests.ts';
import { createRepositories } from './repository.ts';

type GitHostOptions = {
  /** Folder with the demo's repositories. */
  folder: string;
  host: string;
  port: number;
  path: string;
  logger: Logger;
};

/**
 * Starts a small code host for the demo's local repositories. It has pull requests, GitHub's API for them, and web
 * pages.
 */
export async function startGitHost(options: GitHostOptions) {
  const { folder, host, port, path, logger } = options;
  const token = randomBytes(24).toString('base64url');
  const tokenFile = join(folder, 'git-host-token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  let url = '';
  const pulls = createPullRequests(join(folder, 'pull-requests.json'));
  const repositories = createRepositories(folder, path);
  const app = new Hono();
  app.route('/api', createApiRoutes({ pulls, repositories, token, url: () => url }));
  app.route('/', createPageRoutes({ pulls, repositories }));
  app.onError((error, { req }) => {
    if (!(error instanceof ApiProblem)) logger.error({ err: error }, "the demo's git host failed");
    const problem =
      error instanceof ApiProblem ? error : new ApiProblem('internal_error', 'See the log.');
    return problemResponse(problem, req.path, randomUUID());
  });
  const listening = await listen(app, host, port, { setting: 'GIT_HOST_PORT' });
  url = `http://${host}:${listening.port}`;
  return { tokenFile, apiUrl: `${url}/api`, stop: listening.close };
}
