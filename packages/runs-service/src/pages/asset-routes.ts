import { Hono } from 'hono';
import { pageHeaders } from './page-headers.ts';
import { listStyle } from './run-list/list-style.ts';
import { sessionScript } from './session/session-script.ts';
import { sessionStyle } from './session/session-style.ts';

/** Style and script of all pages. */
export function createAssetRoutes(): Hono {
  const app = new Hono();
  app.use('/session-assets/*', pageHeaders("form-action 'none'"));
  app.get('/session-assets/session.css', (context) =>
    context.body(sessionStyle + listStyle, 200, { 'content-type': 'text/css; charset=utf-8' }),
  );
  app.get('/session-assets/session.js', (context) =>
    context.body(sessionScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );
  return app;
}
