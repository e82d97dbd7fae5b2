import type { MiddlewareHandler } from 'hono';

/**
 * Rejects requests from other websites: hosts other than loopback (DNS rebinding), and requests that a browser sends
 * from another site. Programs send neither `Origin` nor `Sec-Fetch-Site`.
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

/** Returns true if another site may have caused the request. Browsers then send `Origin` or `Sec-Fetch-Site`. */
function isCrossSite(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = header('origin');
  return origin !== undefined && origin !== `http://${header('host')}`;
}
