import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SlackSignIn } from '../../../src/pages/slack-sign-in.ts';
import { createRuns } from '../../../src/store/runs.ts';
import { useDatabase } from '../../support/databases.ts';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';
import { aServiceRun } from '../../support/service/service-run-builder.ts';
import { openidClient, startOpenidProvider } from './openid-provider.ts';

describe('signing in to a session page with Slack', () => {
  const db = useDatabase();

  async function start({ pkce = true } = {}) {
    let url = '';
    const provider = await startOpenidProvider({
      redirectUri: () => `${url}/sign-in/slack/return`,
    });
    provider.says.pkce = pkce;
    const asked: object[] = [];
    const allowed = new Set(['T1 U1']);
    const slackSignIn: SlackSignIn = {
      ...openidClient,
      issuer: provider.issuer,
      async canSee({ teamId, userId }, run) {
        asked.push({ teamId, userId, runId: run.id });
        return allowed.has(`${teamId} ${userId}`);
      },
      nameToAnswer: async () => undefined,
    };
    const { service } = await startRunsService({
      environments: [shellEnvironment('true')],
      db: db(),
      concurrency: 0,
      sessionPageLogin: true,
      slackSignIn,
    });
    url = service.url;
    const token = randomUUID();
    const run = await createRuns(db()).create(
      aServiceRun({ title: 'Read me', session_token: token }),
    );
    return { ...aBrowser(), url, page: `${url}/session/${token}`, run, provider, asked, allowed };
  }

  it('opens the runs that the person sees in Slack, no others and no list', async () => {
    const { open, signIn, page, url, run, asked, allowed } = await start();
    const first = await open(page);
    expect(first.status).toBe(401);
    expect(await first.text()).toContain('Sign in with Slack');
    const answer = await signIn(page);
    expect(answer.url).toBe(page);
    expect(await answer.text()).toContain('Read me');
    expect(asked).toContainEqual({ teamId: 'T1', userId: 'U1', runId: run.id });
    // Access is checked each time, so people who leave a conversation can't open its runs.
    allowed.clear();
    for (const file of ['', '/events', '/output.log', '/exact.patch'])
      expect((await open(page + file)).status).toBe(403);
    expect(await (await open(page)).text()).toContain('see this run in Slack');
    // The list of runs needs a key.
    expect(await (await open(`${url}/runs`)).text()).toContain('API key of the runs service');
  });

  it('works if Slack offers no proof of the code', async () => {
    const { signIn, page } = await start({ pkce: false });
    expect((await signIn(page)).status).toBe(200);
  });

  it('rejects tokens for another app, of another issuer, and of an earlier sign-in', async () => {
    const { open, signIn, page, provider } = await start();
    for (const claims of [
      { aud: 'another app' },
      { nonce: 'another attempt' },
      { iss: 'https://evil.example' },
      { exp: 1 },
      { sub: 'U2' },
    ]) {
      provider.says.claims = claims;
      const answer = await signIn(page);
      expect([claims, answer.status]).toEqual([claims, 401]);
      const text = await answer.text();
      expect(text).toContain('Slack didn&#39;t confirm who you are');
      expect(text).not.toContain('Read me');
      expect((await open(page)).status).toBe(401);
    }
  });

  it('rejects a code that was used, another browser, and a changed or missing state', async () => {
    const { open, leave, page, url } = await start();
    const back = (await leave(page)).headers.get('location') ?? '';
    expect((await aBrowser().open(back)).status).toBe(401);
    const other = new URL(back);
    other.searchParams.set('state', 'another');
    expect((await open(other.href)).status).toBe(401);
    // Each attempt ends with its first answer.
    expect((await open(back)).status).toBe(401);
    const fresh = (await leave(page)).headers.get('location') ?? '';
    expect((await open(fresh)).status).toBe(200);
    expect((await aBrowser().open(fresh)).status).toBe(401);
    expect((await open(`${url}/sign-in/slack/return?code=x&state=y`)).status).toBe(401);
  });

  it('returns only to sessions, and says so if someone cancels', async () => {
    const { open, leave, page, url } = await start();
    const answer = await open(`${url}/sign-in/slack?to=https://evil.example`, 'manual');
    expect(answer.headers.get('location')).toBe('../runs');
    const back = new URL((await leave(page)).headers.get('location') ?? '');
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    expect((await open(back.href)).status).toBe(401);
  });
});

/** Creates a browser, which keeps cookies and follows redirects. */
function aBrowser() {
  const cookies = new Map<string, string>();

  async function open(url: string, redirect: 'follow' | 'manual' = 'follow'): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const to = answer.headers.get('location');
    if (to === null || redirect === 'manual') return answer;
    return open(new URL(to, url).href);
  }

  /** Starts a sign-in, and returns Slack's answer. */
  async function leave(page: string): Promise<Response> {
    const [, link = ''] =
      /href="([^"]*sign-in\/slack[^"]*)"/.exec(await (await open(page)).text()) ?? [];
    const begun = await open(new URL(link, page).href, 'manual');
    return open(begun.headers.get('location') ?? '', 'manual');
  }

  const signIn = async (page: string) => open((await leave(page)).headers.get('location') ?? '');
  return { open, leave, signIn };
}
