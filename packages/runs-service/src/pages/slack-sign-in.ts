import { createHmac } from 'node:crypto';
import type { Logger } from 'base/logger';
import { type Context, Hono } from 'hono';
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie';
import * as openid from 'openid-client';
import { z } from 'zod';
import type { Keyring, SlackPerson } from '../api/keys/keyring.ts';
import type { StoredRun } from '../store/runs.ts';
import { pageHeaders } from './page.ts';
import { type SignInCookie, sessionPath, signInPage } from './sign-in-page.ts';

type RunInSlack = Pick<StoredRun, 'id' | 'metadata_json'>;

export type SlackSignIn = SlackOpenidOptions & {
  /** Returns true if someone can see a run in Slack. */
  canSee(person: SlackPerson, run: RunInSlack): Promise<boolean>;
  /** Returns the person's name if they can answer the run's agent in Slack. Otherwise, returns undefined. */
  nameToAnswer(person: SlackPerson, run: RunInSlack): Promise<string | undefined>;
};

type SlackSignInRoutesOptions = {
  slack: SlackSignIn;
  keyring: Pick<Keyring, 'issueSlackPass'>;
  cookie: SignInCookie;
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

/** Creates the routes that send a browser to Slack. When the browser returns, they issue a pass for session pages. */
export function createSlackSignInRoutes(options: SlackSignInRoutesOptions): Hono {
  const { slack, keyring, cookie, publicUrl, logger } = options;
  const openid = createSlackOpenid(slack);
  // Derive the signing key from Slack's client secret. Each process of the service then has the same key, and can
  // finish a sign-in that another process began.
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

  async function reject(context: Context, to: string | undefined, problem: string) {
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
      return reject(context, undefined, 'This sign-in took too long. Open the session link again.');
    const { to } = attempt;
    const returned = new URL(redirectUri());
    returned.search = new URL(context.req.url).search;
    try {
      const person = await openid.finish(returned, attempt);
      cookie.set(context, await keyring.issueSlackPass(person, cookie.seconds));
      return context.redirect(`../../${to}`, 303);
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, "Slack didn't confirm who signed in");
      return reject(context, to, "Slack didn't confirm who you are. Try again.");
    }
  });
  return routes;
}

/** Describes an error without Slack's answer, which can hold tokens. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  return `${error.message}${code}`;
};

export type SlackOpenidOptions = {
  /** Base URL of Slack, such as `https://slack.com`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
};

/** Values that a browser keeps in a cookie while the person signs in at Slack. */
export type Attempt = { state: string; nonce: string; verifier: string };

const timeoutSeconds = 5;
const teamClaim = 'https://slack.com/team_id';
const userClaim = 'https://slack.com/user_id';

/** Creates a client for Slack's OpenID Connect: https://docs.slack.dev/authentication/sign-in-with-slack */
export function createSlackOpenid({ issuer, clientId, clientSecret }: SlackOpenidOptions) {
  let found: Promise<openid.Configuration> | undefined;

  /** Finds Slack's endpoints once. If that fails, the next call tries again. */
  function discover(): Promise<openid.Configuration> {
    const isLocal = new URL(issuer).protocol === 'http:';
    found ??= openid
      .discovery(new URL(issuer), clientId, undefined, openid.ClientSecretPost(clientSecret), {
        timeout: timeoutSeconds,
        ...(isLocal && { execute: [openid.allowInsecureRequests] }),
      })
      .catch((error: unknown) => {
        found = undefined;
        throw error;
      });
    return found;
  }

  return {
    /** Begins a sign-in. Returns the URL to redirect the browser to, and the values that the browser must keep. */
    async begin(redirectUri: string): Promise<{ url: URL; attempt: Attempt }> {
      const config = await discover();
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const { state, nonce, verifier } = attempt;
      const proof = config.serverMetadata().supportsPKCE() && {
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      const asked = { scope: 'openid', redirect_uri: redirectUri, state, nonce, ...proof };
      return { url: openid.buildAuthorizationUrl(config, asked), attempt };
    },

    /**
     * Finishes a sign-in and returns the person.
     * @param returned the URL that Slack redirected the browser to
     * @throws openid-client's errors if Slack's answer doesn't belong to the attempt
     */
    async finish(returned: URL, { state, nonce, verifier }: Attempt): Promise<SlackPerson> {
      const config = await discover();
      const tokens = await openid.authorizationCodeGrant(config, returned, {
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(config.serverMetadata().supportsPKCE() && { pkceCodeVerifier: verifier }),
      });
      const subject = tokens.claims()?.sub ?? '';
      const info = await openid.fetchUserInfo(config, tokens.access_token, subject);
      return { teamId: String(info[teamClaim] ?? ''), userId: String(info[userClaim] ?? '') };
    },
  };
}
