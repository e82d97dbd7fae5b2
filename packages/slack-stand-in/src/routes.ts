import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ResponseUrls } from './deliveries/response-urls.ts';
import { type Env, failAfter, failBefore } from './faults/call-faults.ts';
import { createControlRoutes } from './faults/control-routes.ts';
import { rejectForeignHosts } from './faults/cross-site.ts';
import type { FaultQueue } from './faults/faults.ts';
import { createOAuthPage } from './installing/oauth.ts';
import type { Logger } from './lib/logger.ts';
import { createMethods } from './methods/all-methods.ts';
import { createIncomingWebhooks } from './people/bot-posts.ts';
import { createApi } from './web-api/api.ts';
import { createAuthorize } from './web-api/permissions.ts';
import { createRateLimits } from './web-api/rate-limits.ts';
import type { Workspace } from './workspace.ts';
import { createFileRoutes } from './world/files.ts';

type Options = { logger: Logger; isLimited: boolean; controlToken: string; stopped: AbortSignal };

/** Size limit of request bodies, larger than any message or view. Larger bodies get status 413. */
const largestBodyBytes = 4 * 1024 * 1024;

/** Serves all HTTP routes of the stand-in. */
export function createRoutes(
  workspace: Workspace,
  { logger, isLimited, controlToken, stopped }: Options,
): Hono<Env> {
  const { world, faults, traffic, responseUrls, workflowSteps, oauth, files, log } = workspace;
  const methods = createMethods(workspace);
  const authorize = createAuthorize(world, workflowSteps);
  const rateLimits = createRateLimits({ isEnforced: isLimited });
  const app = new Hono<Env>();
  app.use(rejectForeignHosts());
  app.use(bodyLimit({ maxSize: largestBodyBytes }));
  app.route(
    '/api',
    createApi({ methods, authorize, rateLimits, faults, traffic, logger, stopped }),
  );
  app.route('/response', createResponseRoutes({ faults, responseUrls, stopped }));
  app.route('/oauth', createOAuthPage({ world, oauth }));
  app.route('/services', createIncomingWebhooks({ world, log }));
  app.route('/', createFileRoutes({ world, files }));
  app.route('/control', createControlRoutes({ faults, token: controlToken }));
  app.onError((error, context) => {
    logger.error(
      { err: error, path: context.req.path },
      'a request failed because of a bug in the stand-in',
    );
    return context.json({ ok: false, error: 'internal_error' }, 500);
  });
  return app;
}

/** Serves `response_url` addresses. Faults that are set for the method name `response_url` apply to them. */
function createResponseRoutes({
  faults,
  responseUrls,
  stopped,
}: {
  faults: FaultQueue;
  responseUrls: ResponseUrls;
  stopped: AbortSignal;
}): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post('/:kind/:team/:secret', async (context) => {
    const { cleared } = faults;
    const fault = faults.takeCall('response_url');
    const early = fault && failBefore(context, fault);
    if (early) return early;
    const body: unknown = await context.req.json().catch(() => undefined);
    const { status, text } = responseUrls.use(context.req.param('secret'), body);
    const late = fault && (await failAfter(context, fault, [stopped, cleared]));
    return late ?? context.text(text, status);
  });
  return routes;
}
