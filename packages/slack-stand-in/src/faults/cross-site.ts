import type { MiddlewareHandler } from 'hono';

/**
 * Rejects requests whose host isn't loopback, because another website's host name can resolve to this machine (DNS
 * rebinding).
 */
export function rejectForeignHosts(): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) {
      return context.text('this server only answers to 127.0.0.1 and localhost', 403);
    }
    return await next();
  };
}

export function rejectCrossSite(): MiddlewareHandler {
  return async (context, next) => {
    if (isCrossSite((name) => context.req.header(name))) {
      return context.text('requests from other sites are rejected', 403);
    }
    return await next();
  };
}

/**
 * Returns true if another website may have caused the request. Browsers send `Origin` or `Sec-Fetch-Site` with such
 * requests. Other programs send neither.
 */
function isCrossSite(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = header('origin');
  return origin !== undefined && origin !== `http://${header('host')}`;
}
