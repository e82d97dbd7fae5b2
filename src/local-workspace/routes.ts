import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Logger } from '../lib/logger.ts';
import { createApi } from './api.ts';
import { createMethods } from './methods/all-methods.ts';
import { createRateLimits } from './rate-limits.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

type Options = { logger: Logger; isLimited: boolean; stopped: AbortSignal };

/** Everything that the server answers to over HTTP. */
export function createRoutes(
  parts: WorkspaceParts,
  { logger, isLimited, stopped }: Options,
): Hono<{ Bindings: HttpBindings }> {
  const { world, faults, traffic, responseUrls } = parts;
  const rateLimits = createRateLimits({ isEnforced: isLimited });
  const methods = createMethods(parts);
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.route('/api', createApi({ world, methods, faults, rateLimits, traffic, logger, stopped }));
  app.post('/response/:kind/:team/:secret', async (context) => {
    const body: unknown = await context.req.json().catch(() => undefined);
    const { status, text } = responseUrls.use(context.req.param('secret'), body);
    return context.text(text, status);
  });
  return app;
}
