import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublishConfig } from '../../src/environments/publish-config.ts';
import { GitError } from '../../src/execution/git/git.ts';
import type { PublishGit } from '../../src/publishing/git/publish-git.ts';
import { pushBranch } from '../../src/publishing/git/push-branch.ts';
import { PublishProblem } from '../../src/publishing/publish-problem.ts';
import { temporaryFolder } from '../support/runs-service.ts';
import { ended, publish, settled, startPublishing } from './publishing.ts';

describe('a run in an environment with "mode: pull_request"', () => {
  it('ends with a pull request of its changes', async () => {
    const { server, github, service } = await startPublishing('cat >> notes.txt', {
      publish: { draft: true, reviewers: ['grace'], labels: ['agent'] },
    });
    const run = await ended(service, { prompt: 'three\n', title: 'Add three' });
    const branch = `agent/${run.run_id.slice(0, 8)}`;
    expect(run.publication).toMatchObject({ state: 'published', branch, base: 'main' });
    expect(run.artifacts).toMatchObject([
      {
        artifact_type: 'PULL_REQUEST',
        data: { url: 'https://github.test/acme/app/pull/1', branch, state: 'draft', number: 1 },
      },
      { artifact_type: 'FILE', data: { filename: 'changes.patch' } },
    ]);
    expect(github.pulls).toMatchObject([
      { title: 'Add three', draft: true, base: { ref: 'main' } },
    ]);
    expect(github.pulls[0]?.body).toContain('requested by Ada');
    expect(github.pulls[0]?.body).not.toContain('three\n');
    expect(github.asked).toEqual({ reviewers: ['grace'], labels: ['agent'] });
    expect(server.git('show', `${branch}:notes.txt`)).toBe('one\ntwo\nthree');
    const message = server.git('log', '-1', '--format=%an <%ae>%n%B', branch);
    expect(message).toContain('slash-agent <slash-agent@localhost>\nAdd three');
    expect(message).toContain('Requested-by: Ada');
  });

  it('pushes later runs of the conversation to the same branch and pull request, never over what someone else pushed', async () => {
    const { server, github, service } = await startPublishing('cat >> notes.txt');
    const first = await ended(service, { prompt: 'three\n' });
    server.commit('main', 'other.txt', 'from main\n');
    const { conversation_id } = first;
    const second = await ended(service, { prompt: 'four\n', conversation_id });
    const branch = first.publication?.branch ?? '';
    expect(second.publication).toMatchObject({ state: 'published', branch });
    expect(github.pulls).toHaveLength(1);
    expect(server.branches()).toHaveLength(2);
    expect(server.git('show', `${branch}:notes.txt`)).toBe('one\ntwo\nthree\nfour');
    expect(server.git('show', `${branch}:other.txt`)).toBe('from main');
    expect(server.git('merge-base', branch, 'main')).toBe(server.git('rev-parse', 'main'));

    const theirs = server.commit(branch, 'theirs.txt', 'x\n');
    const third = await ended(service, { prompt: 'five\n', conversation_id });
    expect(third.state).toBe('SUCCEEDED');
    expect(third.publication).toMatchObject({
      state: 'failed',
      message: expect.stringContaining(`Someone else pushed to the branch ${branch}`),
    });
    expect(server.git('rev-parse', branch)).toBe(theirs);
  });

  it('says that the base moved, and whether that conflicts', async () => {
    const { server, service } = await startPublishing(
      'until [ -e go ]; do sleep 0.05; done; rm go; cat >> notes.txt',
    );
    const id = await service.begin({ prompt: 'three\n' });
    await expect
      .poll(async () => {
        const folder = join(service.dataDir, 'work', id, 'repo', 'app');
        try {
          writeFileSync(join(folder, 'go'), '');
          return 'started';
        } catch {
          return 'not yet';
        }
      })
      .toBe('started');
    server.commit('main', 'notes.txt', 'all\nnew\n');
    const run = await service.until(id, 'SUCCEEDED', 'FAILED');
    const published = await settled(service, run.run_id);
    expect(published.publication).toMatchObject({
      state: 'published',
      message: expect.stringMatching(/^main has 1 commit .* They conflict with the changes\./),
    });
  });
});

describe('a publication on request', () => {
  const ask: PublishConfig = { mode: 'ask' };

  it('is offered, happens once, and is the same when asked for again', async () => {
    const { github, service } = await startPublishing('cat >> notes.txt', { publish: ask });
    const run = await ended(service, { prompt: 'three\n' });
    expect(run.publication).toMatchObject({ state: 'offered' });
    const body = { title: 'Mine', body: 'Because.', draft: true, reviewers: ['lin'], base: 'main' };
    expect((await publish(service, run.run_id, body)).status).toBe(200);
    expect((await settled(service, run.run_id)).publication?.state).toBe('published');
    await publish(service, run.run_id, body);
    await settled(service, run.run_id);
    expect(github.pulls).toMatchObject([{ title: 'Mine', body: 'Because.', draft: true }]);
  });

  it('is rejected while the run is active, without changes, or where nothing publishes', async () => {
    const { server, github, service } = await startPublishing(
      '[ "$(cat)" = wait ] && sleep 60; true',
      { publish: ask, variants: { none: { mode: 'none' }, automatic: { mode: 'pull_request' } } },
    );
    const active = await service.begin({ prompt: 'wait', config: { environment_id: 'shell' } });
    await service.until(active, 'INPROGRESS');
    expect((await publish(service, active)).status).toBe(409);
    await service.request(`/agent/runs/${active}/cancel`, { method: 'POST' });
    for (const [environment_id, why] of [
      ['shell', 'changed no files'],
      ['none', "can't be published"],
      ['automatic', 'changed no files'],
    ]) {
      const run = await ended(service, { prompt: 'x', config: { environment_id } });
      expect(run.state).toBe('SUCCEEDED');
      expect(run).not.toHaveProperty('publication');
      const answer = await publish(service, run.run_id);
      expect([answer.status, await answer.text()]).toEqual([
        422,
        expect.stringContaining(why ?? ''),
      ]);
      expect((await publish(service, run.run_id, { more: 1 })).status).toBe(400);
    }
    expect([github.pulls, server.branches()]).toEqual([[], ['main']]);
  });

  it('only pushes a branch with "mode: branch"', async () => {
    const { github, server, service } = await startPublishing('cat >> notes.txt', { publish: ask });
    const run = await ended(service, { prompt: 'three\n' });
    await publish(service, run.run_id, { mode: 'branch' });
    const { publication } = await settled(service, run.run_id);
    expect(publication).toMatchObject({ state: 'published', mode: 'branch' });
    expect(server.branches()).toContain(publication?.branch);
    expect(github.seen).toEqual([]);
  });
});

describe('a rejection by the git server becomes a sentence that says what to do', () => {
  it('for the run, without the token', async () => {
    const wrongToken = join(temporaryFolder(), 'token');
    writeFileSync(wrongToken, 'wrong');
    const { github, service } = await startPublishing('cat >> notes.txt', {
      preReceive:
        'echo "error: GH006: Protected branch update failed for refs/heads/agent/1." >&2; echo "error: Changes must be made through a pull request." >&2; exit 1',
      variants: {
        wrong: { token_file: wrongToken },
        base: { base: 'nope' },
        name: { branch: 'a..b/{run}' },
        missing: { token_file: '/nope' },
        unsigned: { signing_key_file: '/nope' },
      },
    });
    for (const [environment_id, sentence] of [
      [
        'shell',
        'GH006: Protected branch update failed for refs/heads/agent/1. Changes must be made',
      ],
      ['wrong', 'rejected the login. Check the token'],
      ['base', 'has no branch nope'],
      ['name', "isn't a valid branch name"],
      ['missing', 'Can\'t read the file of "token_file"'],
      ['unsigned', "The commit can't be signed. Check"],
    ]) {
      const run = await ended(service, { prompt: 'three\n', config: { environment_id } });
      expect(run.state).toBe('SUCCEEDED');
      expect(run.publication).toMatchObject({
        state: 'failed',
        message: expect.stringContaining(sentence ?? ''),
      });
      expect(run.publication?.message).not.toContain('token-of-app');
    }
    expect(github.pulls).toEqual([]);
  });

  const remote = (...lines: string[]) => lines.map((line) => `remote: ${line}`).join('\n');
  it.each<
    [what: string, stderr: string, rejection: string, sentence: RegExp, isTemporary: boolean]
  >([
    [
      'a rule with many words',
      remote('error: GH013: Repository rule violations', ...Array(1000).fill('x'.repeat(3_000))),
      'pre-receive hook declined',
      /^The server rejected the branch b: GH013: Repository rule violations x+….*Check its rules/,
      false,
    ],
    [
      'a rule without words',
      '',
      'hook declined',
      /the branch b: \[rejected\] \(hook declined\)\. Check its/,
      false,
    ],
    ['a branch that changed', '', 'stale info', /changed at the same moment/, true],
    ['a wrong token', 'fatal: Authentication failed', '', /rejected the login/, false],
    ['too few rights', 'The requested URL returned error: 403', '', /can't push/, false],
    ['no repository', 'remote: Repository x not found.', '', /has no such repository/, false],
    ['a repository that moved', 'returned error: 301', '', /The repository moved/, false],
    [
      'too large a push',
      'returned error: 413',
      '',
      /rejected the changes because of their size/,
      false,
    ],
    ['no server', 'Could not resolve host', '', /Can't reach the repository: Could not/, true],
  ])('for %s', async (_, stderr, rejection, sentence, isTemporary) => {
    const git: PublishGit = async (_args, { onOutput } = {}) => {
      if (rejection !== '')
        onOutput?.(Buffer.from(`!\tb:refs/heads/b\t[rejected] (${rejection})\n`));
      throw new GitError(stderr);
    };
    const push = { url: 'https://x.test', branch: 'b', commit: 'c', expected: undefined };
    const problem = await pushBranch(git, push).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(PublishProblem);
    const { message, isTemporary: passes } = problem as PublishProblem;
    expect([message, passes]).toEqual([expect.stringMatching(sentence), isTemporary]);
    expect(message.length).toBeLessThan(700);
  });
});
