import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from '../../lib/logger.ts';
import { type CallerVariables, requireKey } from './authentication.ts';
import type { Keyring } from './keyring.ts';
import { ApiProblem, problemResponse } from './problem.ts';
import { limitRate } from './rate-limit.ts';

export type RunsAppOptions = {
  keyring: Keyring;
  /** Routes below `/api/v1`, which need a key. */
  api: Hono<{ Variables: CallerVariables }>[];
  /** Routes that need none. */
  open: Hono[];
  /** For each owner of keys. */
  requestsPerMinute?: number | undefined;
  logger: Logger;
};

/** A bot that follows a thousand runs asks a few thousand times a minute. */
const defaultRequestsPerMinute = 6_000;

const maxBodyBytes = 2 * 1024 * 1024;

/** The whole service as a function from request to response. */
export function createRunsApp(options: RunsAppOptions): Hono {
  const { keyring, api, open, logger, requestsPerMinute = defaultRequestsPerMinute } = options;
  const app = new Hono();
  const guarded = new Hono<{ Variables: CallerVariables }>();
  guarded.use('*', requireKey(keyring));
  guarded.use('*', limitRate({ requestsPerMinute }));
  // Looking at the body makes a whole Request of what came in: too dear for those that have none.
  guarded.on(
    ['POST', 'PUT', 'PATCH', 'DELETE'],
    '*',
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new ApiProblem(
          'request_too_large',
          `The body may have at most ${maxBodyBytes} bytes.`,
        );
      },
    }),
  );
  for (const routes of api) guarded.route('/', routes);
  app.get('/healthz', (context) => context.text('ok'));
  for (const routes of open) app.route('/', routes);
  app.route('/api/v1', guarded);

  app.notFound((context) =>
    problemResponse(
      new ApiProblem(
        'resource_not_found',
        `There is nothing at ${context.req.method} ${context.req.path}.`,
      ),
      context.req.path,
      randomUUID(),
    ),
  );
  app.onError((error, context) => {
    const traceId = randomUUID();
    if (error instanceof ApiProblem) return problemResponse(error, context.req.path, traceId);
    // The rest of a session's path is the key to its page.
    const path = context.req.path.replace(/^\/session\/.*/, '/session/…');
    logger.error({ err: error, traceId, path }, 'a request failed');
    const hidden = new ApiProblem(
      'internal_error',
      `Something went wrong in the service. Its log has the reference ${traceId}.`,
    );
    return problemResponse(hidden, context.req.path, traceId);
  });
  return app;
}
