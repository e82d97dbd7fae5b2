import { randomUUID } from 'node:crypto';
import { checkDatabase, checkLoop, readReadiness } from 'base/http/readiness';
import type { Logger } from 'base/logger';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { type Authenticate, type CallerVariables, requireKey } from './keys/authentication.ts';
import { limitRate } from './keys/rate-limit.ts';
import { ApiProblem, problemResponse, requestIdHeader } from './problem.ts';

type RunsAppOptions = {
  authenticate: Authenticate;
  /** Routes below `/api/v1`, which need a key. */
  api: Hono<{ Variables: CallerVariables }>[];
  /** Routes that need no key. */
  open: Hono[];
  /** Renders a problem as a page for browsers. Returns undefined for API clients. */
  problemPage?: (context: Context, problem: ApiProblem) => Promise<Response | undefined>;
  /** Max requests per minute of one key owner. */
  requestsPerMinute?: number | undefined;
  onAnswer?: OnAnswer | undefined;
  logger: Logger;
};

/** Called after each request. `route` is the pattern of its path, without IDs. */
export type OnAnswer = (answer: {
  method: string;
  route: string;
  status: number;
  ms: number;
}) => void;

/** Max requests per minute by default. A bot that follows a thousand runs sends a few thousand requests per minute. */
const defaultRequestsPerMinute = 6_000;

const maxBodyBytes = 2 * 1024 * 1024;
/** Max body size of create requests, in bytes. They can contain 10 MiB of attachments in base64. */
const maxCreateBytes = 16 * 1024 * 1024;

const limitBody = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new ApiProblem(
        'request_too_large',
        `The body is larger than ${maxSize / 1024 / 1024} MiB. Send less.`,
      );
    },
  });

/** Creates the HTTP app with the API, the web pages and their error responses. */
export function createRunsApp(options: RunsAppOptions) {
  const {
    authenticate,
    api,
    open,
    problemPage,
    logger,
    requestsPerMinute = defaultRequestsPerMinute,
  } = options;
  const app = new Hono<{ Variables: RequestVariables }>();
  app.use('*', nameRequest);
  if (options.onAnswer) app.use('*', reportTo(options.onAnswer));
  app.use('*', endBodyOfHead);
  const guarded = new Hono<{ Variables: CallerVariables }>();
  guarded.use('*', requireKey(authenticate));
  guarded.use('*', limitRate({ requestsPerMinute }));
  const [limitCreate, limitOther] = [limitBody(maxCreateBytes), limitBody(maxBodyBytes)];
  // Limits only the bodies of requests that change something. For GET, reading the body would create a full Request
  // object, which is slow.
  guarded.on(['POST', 'PUT', 'PATCH', 'DELETE'], '*', (context, next) =>
    (/\/agent\/runs?$/.test(context.req.path) ? limitCreate : limitOther)(context, next),
  );
  for (const routes of api) guarded.route('/', routes);
  app.get('/healthz', (context) => context.text('ok'));
  for (const routes of open) app.route('/', routes);
  app.route('/api/v1', guarded);

  const answer = async (context: Context<{ Variables: RequestVariables }>, problem: ApiProblem) =>
    (await problemPage?.(context, problem)) ??
    problemResponse(problem, context.req.path, context.get('requestId'));
  app.notFound((context) => {
    const { method, path } = context.req;
    const detail = `${method} ${path} doesn't exist. See /api/v1/openapi.json.`;
    return answer(context, new ApiProblem('resource_not_found', detail));
  });
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof ApiProblem) return answer(context, error);
    const requestId = context.get('requestId');
    // Log nothing if the client has disconnected, because nobody reads the response.
    if (context.req.raw.signal.aborted)
      return answer(context, new ApiProblem('invalid_request', 'The request ended early.'));
    // Hide the rest of a session page's path in the log, because it's a secret token.
    const path = context.req.path.replace(/^\/session\/.*/, '/session/…');
    logger.error({ err: error, requestId, path }, 'a request failed');
    const detail = `The service failed. Look for the request ${requestId} in its log.`;
    return answer(context, new ApiProblem('internal_error', detail));
  });
  return app;
}

/**
 * Closes the body of the response to a HEAD request. Hono sends only the headers, and would leave the body's file open.
 */
const endBodyOfHead: MiddlewareHandler = async (context, next) => {
  await next();
  if (context.req.method !== 'HEAD') return;
  const reader = context.res.body?.getReader();
  // Read once before canceling, because a generator that hasn't started can't close its file.
  await reader?.read();
  await reader?.cancel();
};

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const reportTo =
  (onAnswer: OnAnswer): MiddlewareHandler =>
  async (context, next) => {
    const beganAt = performance.now();
    await next();
    const method = methods.has(context.req.method) ? context.req.method : 'other';
    const route = routePath(context, -1);
    onAnswer({ method, route, status: context.res.status, ms: performance.now() - beganAt });
  };

export type RequestVariables = { requestId: string };

/** Pattern of client request IDs that are safe to log. */
const safeId = /^[\w.:=-]{1,200}$/;

/**
 * Sends a request ID with each response. Keeps the client's ID, so that people can find a request in several logs by
 * one ID.
 */
export const nameRequest: MiddlewareHandler<{ Variables: RequestVariables }> = async (
  context,
  next,
) => {
  const clientId = context.req.header(requestIdHeader);
  const id = clientId !== undefined && safeId.test(clientId) ? clientId : randomUUID();
  context.set('requestId', id);
  await next();
  context.header(requestIdHeader, id);
};

type RunsAppDeps = {
  /** Checks the database. Rejects if the database doesn't respond. */
  ping(): Promise<void>;
  queue: { readonly lastReadAt: number };
};

/**
 * Creates the route `GET /readyz`. It responds with 200 if runs can be accepted and executed, else with 503 and the
 * reasons.
 */
export function createReadyRoutes({ ping, queue }: RunsAppDeps): Hono {
  const routes = new Hono();
  const readProblems = async () => [
    ...(await checkDatabase(ping)),
    ...checkLoop('the queue of runs', queue.lastReadAt),
  ];
  routes.get('/readyz', async () => {
    const { status, text } = await readReadiness(readProblems);
    return new Response(text, { status });
  });
  return routes;
}
