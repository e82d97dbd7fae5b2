import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Authenticate, unknownKey } from '../../api/keys/authentication.ts';
import type { KeyOwner, Keyring, SlackPerson } from '../../api/keys/keyring.ts';
import { ApiProblem } from '../../api/problem.ts';
import { pageHeaders } from '../page-headers.ts';
import { assertSameSite } from '../same-site.ts';
import { createPassCookie } from './pass-cookie.ts';
import { signInPage as renderSignIn, type SignInPage, sessionPath } from './sign-in-view.ts';
import { createSlackSignInRoutes, type SlackSignIn } from './slack-sign-in.ts';

type SignInOptions = {
  keyring: Keyring;
  authenticate: Authenticate;
  /** The URL of the service for browsers. */
  publicUrl: () => string;
  slackSignIn?: SlackSignIn | undefined;
  /** Where people get a key. */
  keyHint?: string | undefined;
  logger: Logger;
};

/** Someone who signed in with Slack. */
export type PersonOf = (context: Context) => Promise<SlackPerson | undefined>;
/** The reader of a page, if the browser is signed in. */
export type ReaderOf = (context: Context) => Promise<KeyOwner | undefined>;

/** Signing in to the pages with an API key, and out. The form posts to `/runs`, where the list is. */
export function createSignIn({ keyring, authenticate, publicUrl, ...options }: SignInOptions) {
  const { slackSignIn: slack, keyHint, logger } = options;
  const signInPage = (about?: SignInPage) => renderSignIn({ ...about, keyHint });
  const cookie = createPassCookie(publicUrl);
  const routes = new Hono();
  routes.use('/runs', pageHeaders("form-action 'self'"));

  const small = bodyLimit({
    maxSize: 8 * 1024,
    onError: (context) =>
      context.html(signInPage({ problem: 'This key is too long. Check what you pasted.' }), 413),
  });
  routes.post('/runs', small, async (context) => {
    assertSameSite(context);
    const form = await context.req.parseBody();
    if (form['sign_out'] !== undefined) {
      await keyring.endPass(cookie.get(context) ?? '');
      cookie.delete(context);
      return context.redirect('runs', 303);
    }
    const key = String(form['key'] ?? '').trim();
    const to = sessionPath(form['to']);
    const owner = await authenticate(context, key).catch((error) => {
      if (error instanceof ApiProblem) return error;
      throw error;
    });
    if (!owner) return context.html(signInPage({ to, problem: unknownKey }), 401);
    if (owner instanceof ApiProblem)
      return context.html(signInPage({ to, problem: owner.message }), 429);
    cookie.set(context, await keyring.issuePass(key, cookie.seconds));
    return context.redirect(to ?? 'runs', 303);
  });

  const readerOf: ReaderOf = async (context) => {
    const pass = cookie.get(context);
    return pass === undefined ? undefined : keyring.ownerOfPass(pass);
  };
  const personOf: PersonOf = async (context) => keyring.personOfPass(cookie.get(context) ?? '');

  if (slack)
    routes.route('/', createSlackSignInRoutes({ slack, keyring, cookie, publicUrl, logger }));
  return { routes, readerOf, personOf, signInPage };
}
