import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodeHosts } from '../../src/publishing/hosts/create-code-host.ts';
import type { PublishPlan } from '../../src/publishing/publish-plan.ts';
import { PublishProblem } from '../../src/publishing/publish-problem.ts';
import { startGithubServer } from '../support/code-hosts/github-server.ts';
import { temporaryFolder } from '../support/runs-service.ts';

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

describe('a rejection by GitHub says what to do, and whether it passes', () => {
  const inTenMinutes = String(Math.floor(Date.now() / 1000) + 600);
  it.each<[string, number, object, Record<string, string>, boolean, RegExp]>([
    ['a wrong token', 401, { message: 'Bad credentials' }, {}, false, /rejected the token. Check/],
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
  ])('%s', async (_, status, body, headers, isTemporary, words) => {
    const { github, host } = await start();
    github.rejections.set('POST /repos/acme/app/pulls', { status, body, headers });
    const problem = await host.open(wanted, signal).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(PublishProblem);
    expect(problem).toMatchObject({ isTemporary, message: expect.stringMatching(words) });
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

  it('a reviewer that GitHub rejects becomes a remark', async () => {
    const { github, host } = await start();
    await host.open(wanted, signal);
    const body = { message: 'Reviews may only be requested from collaborators.' };
    github.rejections.set('requested_reviewers', { status: 422, body });
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
    expect(problem).toMatchObject({ message: "Can't reach GitHub.", isTemporary: true });
  });
});

describe('a poll of a pull request on GitHub', () => {
  async function opened() {
    const started = await start();
    await started.host.open(wanted, signal);
    const [pull] = started.github.pulls;
    if (!pull) throw new Error('not opened');
    pull.head.sha = '1'.repeat(40);
    let last = await started.host.poll(1, {}, signal);
    const poll = async () => {
      last = await started.host.poll(1, last.seen, signal);
      return last.pullRequest;
    };
    return { ...started, pull, poll };
  }
  const review = (state: string, author_association = 'MEMBER') => ({
    state,
    author_association,
    user: { id: author_association.length },
  });

  it('reads checks and statuses together, reviews of members, obstacles and the end', async () => {
    const { github, pull, poll } = await opened();
    pull.requested_reviewers = [{ login: 'grace' }];
    expect(await poll()).toMatchObject({ state: 'open', review: 'required', head: pull.head.sha });
    expect(await poll()).not.toHaveProperty('checks');
    github.checkRuns.push({ status: 'in_progress', conclusion: null });
    expect(await poll()).toMatchObject({ checks: 'pending' });
    github.checkRuns[0] = { status: 'completed', conclusion: 'skipped' };
    Object.assign(github.status, { state: 'success', total_count: 1 });
    expect(await poll()).toMatchObject({ checks: 'passing' });
    // Only a hundred check runs are read, so one of the others may have failed.
    const success = { status: 'completed', conclusion: 'success' };
    github.checkRuns.push(...Array.from({ length: 100 }, () => success));
    expect(await poll()).not.toHaveProperty('checks');
    github.status.state = 'error';
    expect(await poll()).toMatchObject({ checks: 'failing' });

    pull.requested_reviewers = [];
    github.reviews.push(review('APPROVED', 'NONE'));
    expect(await poll()).not.toHaveProperty('review');
    github.reviews.push(review('CHANGES_REQUESTED'), review('COMMENTED'));
    expect(await poll()).toMatchObject({ review: 'changes_requested' });
    github.reviews.push(review('APPROVED'));
    expect(await poll()).toMatchObject({ review: 'approved' });

    for (const [state, obstacle] of [
      ['behind', 'behind'],
      ['dirty', 'conflicts'],
      ['blocked', 'rules'],
    ] as const) {
      pull.mergeable_state = state;
      expect(await poll()).toMatchObject({ obstacle });
    }
    Object.assign(pull, { state: 'closed', merged_at: new Date().toISOString() });
    expect(await poll()).toMatchObject({ state: 'merged' });
  });

  it('costs nothing while nothing changes, and does without what the token may not see', async () => {
    const { github, poll } = await opened();
    const before = await poll();
    const counted = github.counted.length;
    expect(await poll()).toEqual(before);
    expect(github.seen.slice(-4).toSorted()).toEqual([
      expect.stringMatching(/^GET .*\/check-runs$/),
      expect.stringMatching(/^GET .*\/status$/),
      'GET /repos/acme/app/pulls/1',
      'GET /repos/acme/app/pulls/1/reviews',
    ]);
    expect(github.counted).toHaveLength(counted);
    for (const part of ['check-runs', '/status', '/reviews'])
      github.rejections.set(part, { status: 403, body: { message: 'Resource not accessible' } });
    expect(await poll()).toMatchObject({ state: 'open' });
  });

  it.each([
    ['a check that must pass', 405, 'Required status check "ci" is expected.'],
    ['a rule', 422, 'Changes must be made through a merge queue.'],
  ])('that ends in a merge says what GitHub says about %s', async (_, status, message) => {
    const { github, host, pull } = await opened();
    github.rejections.set('PUT', { status, body: { message } });
    const problem = await host.merge(1, pull.head.sha, signal).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      isTemporary: false,
      message: `GitHub rejected the merge: ${message}`,
    });
  });
});
