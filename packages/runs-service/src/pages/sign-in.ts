import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { type Authenticate, unknownKey } from '../api/keys/authentication.ts';
import type { KeyOwner, Keyring, SlackPerson } from '../api/keys/keyring.ts';
import { ApiProblem } from '../api/problem.ts';
import { assertSameSite, pageHeaders } from './page.ts';
import {
  createSignInCookie,
  signInPage as renderSignIn,
  type SignInPage,
  sessionPath,
} from './sign-in-page.ts';
import { createSlackSignInRoutes, type SlackSignIn } from './slack-sign-in.ts';

export type SignIn = ReturnType<typeof createSignIn>;

/**
 * Creates the routes that let people sign in to the pages with an API key, and sign out. The sign-in form is posted to
 * `/runs`, which is also the path of the run list.
 */
export function createSignIn({
  keyring,
  authenticate,
  publicUrl,
  slackSignIn,
  keyHint,
  logger,
}: {
  keyring: Keyring;
  authenticate: Authenticate;
  /** Returns the URL that browsers use for the service. */
  publicUrl: () => string;
  slackSignIn: SlackSignIn | undefined;
  /** Sentence that says where to get a key. */
  keyHint: string | undefined;
  logger: Logger;
}) {
  const signInPage = (about?: SignInPage) => renderSignIn({ ...about, keyHint });
  const cookie = createSignInCookie(publicUrl);
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

  if (slackSignIn) {
    const slack = { slack: slackSignIn, keyring, cookie, publicUrl, logger };
    routes.route('/', createSlackSignInRoutes(slack));
  }
  return {
    routes,
    signInPage,

    /** Returns the owner of the key with which the browser signed in. */
    async readerOf(context: Context): Promise<KeyOwner | undefined> {
      const pass = cookie.get(context);
      return pass === undefined ? undefined : keyring.ownerOfPass(pass);
    },

    /** Returns the person who signed in with Slack. */
    personOf: (context: Context): Promise<SlackPerson | undefined> =>
      keyring.personOfPass(cookie.get(context) ?? ''),
  };
}
