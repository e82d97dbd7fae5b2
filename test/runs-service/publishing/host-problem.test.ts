import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodeHosts } from '../../../src/runs-service/publishing/hosts/create-code-host.ts';
import type { PublishPlan } from '../../../src/runs-service/publishing/publish-plan.ts';
import { PublishProblem } from '../../../src/runs-service/publishing/publish-problem.ts';
import { startGithubServer } from '../../support/code-hosts/github-server.ts';
import { temporaryFolder } from '../../support/runs-service.ts';

const { signal } = new AbortController();
const wanted = { branch: 'agent/1', base: 'main', title: 'T', body: 'B', draft: false };

async function start() {
  const github = await startGithubServer();
  const tokenFile = join(temporaryFolder(), 'token');
  writeFileSync(tokenFile, 'secret-token');
  const config = { token_file: tokenFile };
  const repository = { url: 'https://github.com/acme/app.git' };
  const { apiUrl } = github;
  const plan: PublishPlan = {
    config,
    repository,
    mode: 'ask',
    kind: 'github',
    project: 'acme/app',
    apiUrl,
  };
  return { github, plan, host: createCodeHosts()(plan) };
}

describe('a refusal by GitHub says what to do, and whether it passes', () => {
  const inTenMinutes = String(Math.floor(Date.now() / 1000) + 600);
  it.each<[string, number, object, Record<string, string>, boolean, RegExp]>([
    ['a wrong token', 401, { message: 'Bad credentials' }, {}, false, /refused the token. Check/],
    [
      'no right',
      403,
      { message: 'Not accessible' },
      {},
      false,
      /Not accessible. Give it write access/,
    ],
    ['no repository', 404, { message: 'Not Found' }, {}, false, /has no acme\/app.*Check/],
    ['a conflict', 409, { message: 'Busy' }, {}, true, /is busy/],
    [
      'a bad base',
      422,
      { message: 'Validation Failed', errors: [{ field: 'base' }] },
      {},
      false,
      /"base" is wrong. Change/,
    ],
    [
      'too many requests',
      429,
      { message: 'Slow' },
      { 'retry-after': '7' },
      true,
      /limits requests/,
    ],
    [
      'a used-up quota',
      403,
      { message: 'API rate limit exceeded' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inTenMinutes },
      true,
      /limits requests/,
    ],
    [
      'a secondary limit',
      403,
      { message: 'You have exceeded a secondary rate limit.' },
      {},
      true,
      /limits requests/,
    ],
    ['a failure', 502, { message: 'Bad gateway' }, {}, true, /failed with status 502/],
  ])('%s', async (_, status, body, headers, mayPass, words) => {
    const { github, host } = await start();
    github.refusals.set('POST /repos/acme/app/pulls', { status, body, headers });
    const problem = await host.open(wanted, signal).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(PublishProblem);
    expect(problem).toMatchObject({ mayPass, message: expect.stringMatching(words) });
    if (status === 429) expect(problem).toMatchObject({ retryAfterMs: 7_000 });
    expect(String(problem)).not.toContain('secret-token');
  });

  it('an open pull request of the branch is not a failure', async () => {
    const { host } = await start();
    expect(await host.open(wanted, signal)).toMatchObject({ number: 1, state: 'open' });
    expect(await host.open(wanted, signal)).toBe('exists');
    expect(await host.find('agent/1', signal)).toMatchObject({ number: 1, title: 'T' });
    expect(await host.find('agent/2', signal)).toBeUndefined();
  });

  it('a reviewer that GitHub refuses becomes a remark', async () => {
    const { github, host } = await start();
    await host.open(wanted, signal);
    const body = { message: 'Reviews may only be requested from collaborators.' };
    github.refusals.set('requested_reviewers', { status: 422, body });
    const remark = await host.decorate(1, { reviewers: ['eve'], labels: ['a'] }, signal);
    expect(remark).toContain("Couldn't add reviewers");
    expect(github.asked.labels).toEqual(['a']);
  });

  it('the pull request of a fork is never taken for one of the repository', async () => {
    const { github, host } = await start();
    await host.open(wanted, signal);
    const [pull] = github.pulls;
    if (!pull) throw new Error('not opened');
    for (const repo of [{ id: 666 }, null])
      github.pulls.push({ ...pull, number: 2, head: { ...pull.head, repo } });
    expect(await host.find('agent/1', signal)).toMatchObject({ number: 1 });
    github.pulls.shift();
    expect(await host.find('agent/1', signal)).toBeUndefined();
  });

  it('a missing token, or a server that cannot be reached, says so', async () => {
    const { plan } = await start();
    const withoutToken = createCodeHosts()({ ...plan, config: {} });
    await expect(withoutToken.find('x', signal)).rejects.toThrow('needs a token');
    const gone = createCodeHosts()({ ...plan, apiUrl: 'http://127.0.0.1:9' });
    const problem = await gone.find('x', signal).catch((error: unknown) => error);
    expect(problem).toMatchObject({ message: "Can't reach GitHub.", mayPass: true });
  });
});
