import type { Context, MiddlewareHandler } from 'hono';

/** Headers of every page. `allowed` adds to the content security policy. */
export function setPageHeaders(context: Context, allowed: string): void {
  const headers = {
    'content-security-policy': `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; ${allowed}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
}

export const pageHeaders =
  (allowed: string): MiddlewareHandler =>
  async (context, next) => {
    await next();
    setPageHeaders(context, allowed);
  };
