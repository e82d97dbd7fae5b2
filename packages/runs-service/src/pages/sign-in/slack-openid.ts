import * as openid from 'openid-client';
import type { SlackPerson } from '../../api/keys/keyring.ts';

export type SlackOpenidOptions = {
  /** `https://slack.com`, or another Slack. */
  issuer: string;
  clientId: string;
  clientSecret: string;
};

/** What the browser keeps between leaving for Slack and coming back. */
export type Attempt = { state: string; nonce: string; verifier: string };

const timeoutSeconds = 5;
const teamClaim = 'https://slack.com/team_id';
const userClaim = 'https://slack.com/user_id';

/** Sign in with Slack: https://docs.slack.dev/authentication/sign-in-with-slack */
export function createSlackOpenid({ issuer, clientId, clientSecret }: SlackOpenidOptions) {
  let found: Promise<openid.Configuration> | undefined;

  /** Slack's addresses; asked for again after a failure. */
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
    /** Where to send the browser. */
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
     * Who signed in.
     * @param returned the address that Slack sent the browser to
     * @throws errors of openid-client unless everything that Slack says fits the attempt
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
