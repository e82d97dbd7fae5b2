import { readPatch } from 'base/read-patch';
import { type Context, Hono } from 'hono';
import { createAssetRoutes } from 'runs-service/pages/assets';
import { assertSameSite, pageHeaders } from 'runs-service/pages/page';
import { demoOwner, type GitHostDeps } from './api-routes.ts';
import { mergePull } from './merge-pull.ts';
import { pullRequestPage } from './pull-request-page.ts';

type PageRoutesDeps = Pick<GitHostDeps, 'pulls' | 'repositories'>;

/** Serves a page for each pull request. Anyone on this machine can merge the pull request on its page. */
export function createPageRoutes({ pulls, repositories }: PageRoutesDeps): Hono {
  const app = new Hono();
  const address = `/${demoOwner}/:repo/pull/:number`;
  app.use(`${address}/*`, pageHeaders("form-action 'self'"));
  const find = ({ req }: Context) =>
    pulls.find(req.param('repo') ?? '', Number(req.param('number')));

  app.get(address, async (context) => {
    const pull = find(context);
    if (!pull) return context.notFound();
    const files = readPatch(await repositories.diff(pull));
    return context.html(pullRequestPage(pull, files, context.req.query('problem')));
  });
  app.post(`${address}/merge`, async (context) => {
    assertSameSite(context);
    const pull = find(context);
    if (!pull) return context.notFound();
    const problem = await mergePull({ pulls, repositories }, pull);
    const query = problem ? `?problem=${encodeURIComponent(problem)}` : '';
    return context.redirect(`../${pull.number}${query}`, 303);
  });
  app.route('/', createAssetRoutes());
  return app;
}
