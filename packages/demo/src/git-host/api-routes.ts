import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { mergePull } from './merge-pull.ts';
import type { PullRequest, PullRequests } from './pull-requests.ts';
import type { Repositories } from './repository.ts';

export const demoOwner = 'demo';

export type GitHostDeps = {
  pulls: PullRequests;
  repositories: Repositories;
  /** Access token, created at every start. */
  token: string;
  url: () => string;
};

const newPullSchema = z.object({
  title: z.string(),
  body: z.string().default(''),
  head: z.string(),
  base: z.string(),
  draft: z.boolean().default(false),
});
const markReadySchema = z.object({ variables: z.object({ id: z.string() }) });
const mergeSchema = z.object({ sha: z.string() });

const reject = (context: Context, status: 401 | 404 | 405 | 409 | 422, message: string) =>
  context.json({ message }, status);

/** Serves the part of GitHub's REST API that publishing uses. */
export function createApiRoutes({ pulls, repositories, token, url }: GitHostDeps): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    if (context.req.header('authorization') === `token ${token}`) return next();
    return reject(context, 401, 'Bad credentials');
  });

  const present = async (pull: PullRequest) => ({
    number: pull.number,
    node_id: `${pull.repository}/${pull.number}`,
    html_url: `${url()}/${demoOwner}/${pull.repository}/pull/${pull.number}`,
    state: pull.merge ? 'closed' : 'open',
    draft: pull.draft,
    merged_at: pull.merge?.at ?? null,
    title: pull.title,
    head: { sha: await repositories.tipOf(pull.repository, pull.head) },
  });
  const find = ({ req }: Context) =>
    pulls.find(req.param('repo') ?? '', Number(req.param('number')));

  const repo = `/repos/${demoOwner}/:repo`;
  app.get(repo, (context) => context.json({ allow_merge_commit: true }));
  app.get(`${repo}/pulls`, async (context) => {
    const [, head = ''] = (context.req.query('head') ?? '').split(':');
    const found = pulls.ofBranch(context.req.param('repo'), head);
    return context.json(await Promise.all(found.toReversed().map(present)));
  });
  app.post(`${repo}/pulls`, async (context) => {
    const repository = context.req.param('repo');
    const wanted = newPullSchema.parse(await context.req.json());
    for (const branch of [wanted.head, wanted.base])
      if (!(await repositories.hasBranch(repository, branch)))
        return reject(context, 422, `There is no branch ${branch}.`);
    if (pulls.ofBranch(repository, wanted.head).some(({ merge }) => !merge))
      return reject(context, 422, `A pull request already exists for ${wanted.head}.`);
    return context.json(await present(pulls.open({ repository, ...wanted })), 201);
  });
  app.get(`${repo}/pulls/:number`, async (context) => {
    const pull = find(context);
    return pull ? context.json(await present(pull)) : reject(context, 404, 'Not Found');
  });
  app.put(`${repo}/pulls/:number/merge`, async (context) => {
    const pull = find(context);
    if (!pull) return reject(context, 404, 'Not Found');
    const { sha } = mergeSchema.parse(await context.req.json());
    if (sha !== (await repositories.tipOf(pull.repository, pull.head)))
      return reject(context, 409, 'Head branch was modified. Review and try the merge again.');
    const problem = await mergePull({ pulls, repositories }, pull);
    return problem ? reject(context, 405, problem) : context.json({ merged: true });
  });
  app.post('/graphql', async (context) => {
    const { variables } = markReadySchema.parse(await context.req.json());
    const [repository = '', number] = variables.id.split('/');
    const pull = pulls.find(repository, Number(number));
    if (!pull) return context.json({ errors: [{ message: 'Not Found' }] });
    pulls.change(pull, { draft: false });
    return context.json({ data: { markPullRequestReadyForReview: {} } });
  });

  // Return empty lists, because the demo's pull requests have no checks, reviews, reviewers or labels.
  app.get(`${repo}/commits/:ref/check-runs`, (context) =>
    context.json({ total_count: 0, check_runs: [] }),
  );
  app.get(`${repo}/commits/:ref/status`, (context) =>
    context.json({ state: 'pending', total_count: 0 }),
  );
  app.get(`${repo}/pulls/:number/reviews`, (context) => context.json([]));
  return app;
}
