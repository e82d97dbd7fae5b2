import { createHmac } from 'node:crypto';
import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Keyring, SlackPerson } from '../../api/keys/keyring.ts';
import type { StoredRun } from '../../store/runs.ts';
import { pageHeaders } from '../page-headers.ts';
import type { PassCookie } from './pass-cookie.ts';
import { sessionPath, signInPage } from './sign-in-view.ts';
import { createSlackOpenid, type SlackOpenidOptions } from './slack-openid.ts';

type RunInSlack = Pick<StoredRun, 'id' | 'metadata_json'>;

export type SlackSignIn = SlackOpenidOptions & {
  /** Whether someone sees a run in Slack. */
  maySee(person: SlackPerson, run: RunInSlack): Promise<boolean>;
  /** The name of someone who may answer a run's agent in Slack; undefined if they may not. */
  nameToAnswer(person: SlackPerson, run: RunInSlack): Promise<string | undefined>;
};

type SlackSignInRoutesOptions = {
  slack: SlackSignIn;
  keyring: Pick<Keyring, 'issueSlackPass'>;
  cookie: PassCookie;
  publicUrl: () => string;
  logger: Logger;
};

const attemptName = 'runs_slack_sign_in';
const attemptSeconds = 10 * 60;
const attemptSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  until: z.number(),
});

/** Leaves for Slack and comes back, with a pass for session pages. */
export function createSlackSignInRoutes(options: SlackSignInRoutesOptions): Hono {
  const { slack, keyring, cookie, publicUrl, logger } = options;
  const openid = createSlackOpenid(slack);
  // Every process of the service can finish what another one began.
  const signingKey = createHmac('sha256', slack.clientSecret).update(attemptName).digest('hex');
  const redirectUri = () => `${publicUrl()}/sign-in/slack/return`;
  const attemptOptions = () => ({ ...cookie.options(), maxAge: attemptSeconds });
  const routes = new Hono();
  routes.use('/sign-in/*', pageHeaders("form-action 'self'"));

  async function takeAttempt(context: Context) {
    const kept = await getSignedCookie(context, signingKey, attemptName);
    deleteCookie(context, attemptName, attemptOptions());
    if (!kept) return undefined;
    const attempt = attemptSchema.parse(JSON.parse(kept));
    return attempt.until > Date.now() ? attempt : undefined;
  }

  async function refuse(context: Context, to: string | undefined, problem: string) {
    const page = signInPage({ root: '../../', to, problem, offersSlack: to !== undefined });
    return context.html(await page, 401);
  }

  routes.get('/sign-in/slack', async (context) => {
    const to = sessionPath(context.req.query('to'));
    if (to === undefined) return context.redirect('../runs', 303);
    try {
      const { url, attempt } = await openid.begin(redirectUri());
      const kept = JSON.stringify({ ...attempt, to, until: Date.now() + attemptSeconds * 1000 });
      await setSignedCookie(context, attemptName, kept, signingKey, attemptOptions());
      return context.redirect(url.href, 303);
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, "Slack can't be reached to sign someone in");
      const problem = "Slack can't be reached. Try again shortly, or use a key.";
      return context.html(await signInPage({ root: '../', to, problem, offersSlack: true }), 503);
    }
  });

  routes.get('/sign-in/slack/return', async (context) => {
    const attempt = await takeAttempt(context);
    if (!attempt)
      return refuse(context, undefined, 'This sign-in took too long. Open the session link again.');
    const { to } = attempt;
    const returned = new URL(redirectUri());
    returned.search = new URL(context.req.url).search;
    try {
      const person = await openid.finish(returned, attempt);
      cookie.set(context, await keyring.issueSlackPass(person, cookie.seconds));
      return context.redirect(`../../${to}`, 303);
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, "Slack didn't confirm who signed in");
      return refuse(context, to, "Slack didn't confirm who you are. Try again.");
    }
  });
  return routes;
}

/** Without what Slack sent, which can hold tokens. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return `${error.message}${code}`;
};
