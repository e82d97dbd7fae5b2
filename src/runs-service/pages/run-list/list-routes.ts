import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ServiceRunPage } from '../../../store/service/service-run-list.ts';
import type { ServiceRunListQuery } from '../../../store/service/service-run-query.ts';
import { unknownKey } from '../../api/authentication.ts';
import type { KeyOwner, Keyring } from '../../api/keyring.ts';
import { presentRun } from '../../api/present-run.ts';
import { ApiProblem } from '../../api/problem.ts';
import { pageHeaders } from '../page-headers.ts';
import { cursorsAround, queryOf, readFields } from './list-query.ts';
import { type RunListPage, runListPage, signInPage } from './list-view.ts';

export type RunListRoutesOptions = {
  keyring: Keyring;
  listRuns: (query: ServiceRunListQuery) => Promise<ServiceRunPage>;
  environmentIds: () => readonly string[];
  /** The URL of the service for browsers. */
  publicUrl: () => string;
};

const cookieName = 'runs_pass';
const passSeconds = 30 * 24 * 60 * 60;

/** The list of all runs for people with a key. Everything is at one URL, so links can be relative. */
export function createRunListRoutes(options: RunListRoutesOptions): Hono {
  const { keyring } = options;
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
      deleteCookie(context, cookieName, cookieOptions());
      return context.redirect('runs', 303);
    }
    const key = form['key'];
    const known = typeof key === 'string' && (await keyring.ownerOf(key.trim()));
    if (!known) return context.html(signInPage(unknownKey), 401);
    setCookie(context, cookieName, keyring.passFor(known.key, passSeconds), cookieOptions());
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
  { listRuns, environmentIds }: RunListRoutesOptions,
  reader: KeyOwner,
  parameters: URLSearchParams,
): Promise<RunListPage> {
  const fields = readFields(parameters);
  const about = { fields, environmentIds: environmentIds(), reader: reader.display_name };
  try {
    const query = queryOf(fields, parameters);
    const isReversed = query.sortOrder === 'asc';
    const found = await listRuns(query);
    const runs = isReversed ? found.runs.toReversed() : found.runs;
    const isFirst = isReversed ? found.next === undefined : query.after === undefined;
    const isLast = isReversed ? false : found.next === undefined;
    return {
      ...about,
      ...cursorsAround(runs, { isFirst, isLast }),
      runs: runs.map((run) => presentRun(run, { sessionLink: `session/${run.session_token}` })),
    };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...about, runs: [], problem: error.message };
  }
}
