import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Authenticate, unknownKey } from '../../api/authenticate.ts';
import type { KeyOwner, Keyring } from '../../api/keyring.ts';
import { presentRun } from '../../api/present-run.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { VisibleRuns } from '../../api/visible-runs.ts';
import { pageHeaders } from '../page-headers.ts';
import { cursorsAround, queryOf, readFields } from './list-query.ts';
import { type RunListPage, runListPage, signInPage } from './list-view.ts';

export type RunListRoutesOptions = {
  keyring: Keyring;
  authenticate: Authenticate;
  visibleRuns: VisibleRuns;
  environmentIds: () => readonly string[];
  /** The URL of the service for browsers. */
  publicUrl: () => string;
};

const cookieName = 'runs_pass';
const passSeconds = 30 * 24 * 60 * 60;

/** The list of runs for people with a key. Everything is at one URL, so links can be relative. */
export function createRunListRoutes(options: RunListRoutesOptions): Hono {
  const { keyring, authenticate } = options;
  const app = new Hono();
  app.use('/runs', pageHeaders("form-action 'self'"));

  function cookieOptions() {
    const url = new URL(options.publicUrl());
    const path = `${url.pathname.replace(/\/$/, '')}/runs`;
    const secure = url.protocol === 'https:';
    return { path, secure, httpOnly: true, sameSite: 'Lax', maxAge: passSeconds } as const;
  }

  app.get('/runs', async (context) => {
    const pass = getCookie(context, cookieName);
    const reader = pass === undefined ? undefined : await keyring.ownerOfPass(pass);
    if (!reader) return context.html(signInPage(), 401);
    const parameters = new URL(context.req.url).searchParams;
    const page = await readPage(options, reader, parameters);
    return context.html(runListPage(page), page.problem === undefined ? 200 : 400);
  });

  const small = bodyLimit({
    maxSize: 8 * 1024,
    onError: (context) =>
      context.html(signInPage('This key is too long. Check what you pasted.'), 413),
  });
  app.post('/runs', small, async (context) => {
    assertSameSite(context);
    const form = await context.req.parseBody();
    if (form['sign_out'] !== undefined) {
      await keyring.endPass(getCookie(context, cookieName) ?? '');
      deleteCookie(context, cookieName, cookieOptions());
      return context.redirect('runs', 303);
    }
    const key = String(form['key'] ?? '').trim();
    const owner = await authenticate(context, key).catch((error) => {
      if (error instanceof ApiProblem) return error;
      throw error;
    });
    if (!owner) return context.html(signInPage(unknownKey), 401);
    if (owner instanceof ApiProblem) return context.html(signInPage(owner.message), 429);
    const pass = await keyring.issuePass(key, passSeconds);
    setCookie(context, cookieName, pass, cookieOptions());
    return context.redirect('runs', 303);
  });
  return app;
}

/** Keeps other sites from signing a browser in or out. Only browsers send the header. */
function assertSameSite(context: Context): void {
  const from = context.req.header('sec-fetch-site') ?? 'same-origin';
  if (from !== 'same-origin' && from !== 'none')
    throw new ApiProblem(
      'not_authorized',
      'This form came from another site. Open the sign-in page of the runs service.',
    );
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
    const isReversed = query.sortOrder === 'asc';
    const found = await visibleRuns.list(reader, query);
    const runs = isReversed ? found.runs.toReversed() : found.runs;
    const isFirst = isReversed ? found.next === undefined : query.after === undefined;
    const isLast = isReversed ? false : found.next === undefined;
    return {
      ...about,
      ...cursorsAround(runs, { isFirst, isLast }),
      runs: runs.map((run) =>
        presentRun(run, { reader, sessionLink: `session/${run.session_token}` }),
      ),
    };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...about, runs: [], problem: error.message };
  }
}
