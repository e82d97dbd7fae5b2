import type { MiddlewareHandler } from 'hono';

/** Headers of every page. `allowed` adds to the content security policy. */
export function pageHeaders(allowed: string): MiddlewareHandler {
  const headers = {
    'content-security-policy': `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; ${allowed}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
  };
}
