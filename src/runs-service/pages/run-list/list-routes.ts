import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ServiceRunPage } from '../../../store/service/service-run-list.ts';
import type { ServiceRunListQuery } from '../../../store/service/service-run-query.ts';
import type { KeyOwner, Keyring } from '../../api/keyring.ts';
import { presentRun } from '../../api/present-run.ts';
import { ApiProblem } from '../../api/problem.ts';
import { cursorsBeside, queryOf, readFields } from './list-query.ts';
import { type RunListPage, runListPage, signInPage } from './list-view.ts';

export type RunListRoutesOptions = {
  keyring: Keyring;
  listRuns: (query: ServiceRunListQuery) => Promise<ServiceRunPage>;
  environmentIds: () => readonly string[];
  /** How browsers reach the service. */
  publicUrl: () => string;
};

const cookieName = 'runs_pass';
const passSeconds = 30 * 24 * 60 * 60;

const protection = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** The runs of everybody for whoever has a key, in a browser. All of it is at one address, so links need no root. */
export function createRunListRoutes(options: RunListRoutesOptions): Hono {
  const { keyring } = options;
  const app = new Hono();
  app.use('/runs', async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(protection)) context.header(name, value);
  });

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
    onError: (context) => context.html(signInPage('That is too long for a key.'), 413),
  });
  app.post('/runs', small, async (context) => {
    refuseOtherSites(context);
    const form = await context.req.parseBody();
    if (form['sign_out'] !== undefined) {
      deleteCookie(context, cookieName, cookieOptions());
      return context.redirect('runs', 303);
    }
    const key = form['key'];
    const known = typeof key === 'string' && (await keyring.ownerOf(key.trim()));
    if (!known) {
      const why = 'This key is not known here, or was revoked. Ask whoever runs this service.';
      return context.html(signInPage(why), 401);
    }
    setCookie(context, cookieName, keyring.passFor(known.key, passSeconds), cookieOptions());
    return context.redirect('runs', 303);
  });
  return app;
}

/** Nobody else's page may sign a browser in or out. Browsers say where a form comes from; other programs need not. */
function refuseOtherSites(context: Context): void {
  const from = context.req.header('sec-fetch-site') ?? 'same-origin';
  if (from !== 'same-origin' && from !== 'none')
    throw new ApiProblem('not_authorized', 'Sign in on the page of the runs service itself.');
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
    const upwards = query.sortOrder === 'asc';
    const found = await listRuns(query);
    const runs = upwards ? found.runs.toReversed() : found.runs;
    const isFirst = upwards ? found.next === undefined : query.after === undefined;
    const isLast = upwards ? false : found.next === undefined;
    return {
      ...about,
      ...cursorsBeside(runs, { isFirst, isLast }),
      runs: runs.map((run) => presentRun(run, { sessionLink: `session/${run.session_token}` })),
    };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...about, runs: [], problem: error.message };
  }
}
