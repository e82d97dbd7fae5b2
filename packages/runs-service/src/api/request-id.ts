import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { requestIdHeader } from './problem.ts';

export type RequestVariables = { requestId: string };

/** Safe in a log. Proxies and clients make ids of these characters. */
const safeId = /^[\w.:=-]{1,200}$/;

/** Names each request in its response. An id that came with it is kept, so that it can be found in several logs. */
export const nameRequest: MiddlewareHandler<{ Variables: RequestVariables }> = async (
  context,
  next,
) => {
  const given = context.req.header(requestIdHeader);
  const id = given !== undefined && safeId.test(given) ? given : randomUUID();
  context.set('requestId', id);
  await next();
  context.header(requestIdHeader, id);
};
