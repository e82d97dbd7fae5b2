import { Hono } from 'hono';
import type { KeyOwner } from '../../api/keys/keyring.ts';
import { ApiProblem } from '../../api/problem.ts';
import { presentRun } from '../../api/runs/present-run.ts';
import { writeCursor } from '../../api/runs/read-list-query.ts';
import type { VisibleRuns } from '../../api/runs/visible-runs.ts';
import type { Markup } from '../markup.ts';
import type { ReaderOf } from '../sign-in/sign-in.ts';
import type { SignInPage } from '../sign-in/sign-in-view.ts';
import { queryOf, readFields } from './list-query.ts';
import { type RunListPage, runListPage } from './list-view.ts';

type RunListRoutesOptions = {
  readerOf: ReaderOf;
  signInPage(about?: SignInPage): Markup;
  visibleRuns: VisibleRuns;
  environmentIds: () => readonly string[];
};

/** The list of runs for people with a key. Everything is at one URL, so links can be relative. */
export function createRunListRoutes(options: RunListRoutesOptions): Hono {
  const app = new Hono();
  app.get('/', (context, next) =>
    context.req.header('accept')?.includes('text/html') ? context.redirect('runs') : next(),
  );
  return app.get('/runs', async (context) => {
    const reader = await options.readerOf(context);
    if (!reader) return context.html(options.signInPage(), 401);
    const parameters = new URL(context.req.url).searchParams;
    const page = await readPage(options, reader, parameters);
    return context.html(runListPage(page), page.problem === undefined ? 200 : 400);
  });
}

async function readPage(
  { visibleRuns, environmentIds }: RunListRoutesOptions,
  reader: KeyOwner,
  parameters: URLSearchParams,
): Promise<RunListPage> {
  const fields = readFields(parameters);
  const about = { fields, environmentIds: environmentIds(), reader: reader.creator.display_name };
  try {
    const query = queryOf(fields, parameters);
    const { runs, next } = await visibleRuns.list(reader, query);
    return {
      ...about,
      older: next && writeCursor(next, query),
      runs: runs.map((run) =>
        presentRun(run, { reader, sessionLink: `session/${run.session_token}` }),
      ),
    };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...about, runs: [], problem: error.message };
  }
}
