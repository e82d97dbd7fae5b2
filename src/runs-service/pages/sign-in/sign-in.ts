import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { type Authenticate, unknownKey } from '../../api/authentication.ts';
import type { KeyOwner, Keyring } from '../../api/keyring.ts';
import { ApiProblem } from '../../api/problem.ts';
import { pageHeaders } from '../page-headers.ts';
import { signInPage } from './sign-in-view.ts';

export type SignInOptions = {
  keyring: Keyring;
  authenticate: Authenticate;
  /** The URL of the service for browsers. */
  publicUrl: () => string;
};

/** The reader of a page, if the browser is signed in. */
export type ReaderOf = (context: Context) => Promise<KeyOwner | undefined>;

const cookieName = 'runs_pass';
const passSeconds = 30 * 24 * 60 * 60;

/** Signing in to the pages with an API key, and out. The form posts to `/runs`, where the list is. */
export function createSignIn({ keyring, authenticate, publicUrl }: SignInOptions) {
  const routes = new Hono();
  routes.use('/runs', pageHeaders("form-action 'self'"));

  function cookieOptions() {
    const url = new URL(publicUrl());
    const path = url.pathname.replace(/(?<=.)\/$/, '');
    const secure = url.protocol === 'https:';
    return { path, secure, httpOnly: true, sameSite: 'Lax', maxAge: passSeconds } as const;
  }

  const small = bodyLimit({
    maxSize: 8 * 1024,
    onError: (context) =>
      context.html(signInPage({ problem: 'This key is too long. Check what you pasted.' }), 413),
  });
  routes.post('/runs', small, async (context) => {
    assertSameSite(context);
    const form = await context.req.parseBody();
    if (form['sign_out'] !== undefined) {
      await keyring.endPass(getCookie(context, cookieName) ?? '');
      deleteCookie(context, cookieName, cookieOptions());
      return context.redirect('runs', 303);
    }
    const key = String(form['key'] ?? '').trim();
    const to = /^session\/[\w-]+$/.exec(String(form['to'] ?? ''))?.[0];
    const owner = await authenticate(context, key).catch((error) => {
      if (error instanceof ApiProblem) return error;
      throw error;
    });
    if (!owner) return context.html(signInPage({ to, problem: unknownKey }), 401);
    if (owner instanceof ApiProblem)
      return context.html(signInPage({ to, problem: owner.message }), 429);
    setCookie(context, cookieName, await keyring.issuePass(key, passSeconds), cookieOptions());
    return context.redirect(to ?? 'runs', 303);
  });

  const readerOf: ReaderOf = async (context) => {
    const pass = getCookie(context, cookieName);
    return pass === undefined ? undefined : keyring.ownerOfPass(pass);
  };
  return { routes, readerOf };
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
