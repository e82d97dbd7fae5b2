import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublishConfig } from '../../../src/runs-service/environments/publish-config.ts';
import { ended, type PublishingOptions, publish, settled, startPublishing } from './publishing.ts';

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

  it('takes a change of almost 50 MB along', async () => {
    const { server, service } = await startPublishing(
      // Compressing all of it would take longer than everything else.
      '(base64 /dev/urandom | head -c 2000000; yes "a long line" | head -c 46000000) > big.txt',
    );
    const { publication } = await ended(service, { prompt: 'x' });
    expect(publication).toMatchObject({ state: 'published' });
    expect(server.git('cat-file', '-s', `${publication?.branch}:big.txt`)).toBe('48000000');
  });

  it('opens none if the agent changed nothing', async () => {
    const { server, github, service } = await startPublishing('true');
    const run = await ended(service, { prompt: 'x' });
    expect(run.state).toBe('SUCCEEDED');
    expect(run).not.toHaveProperty('publication');
    expect([github.pulls, server.branches()]).toEqual([[], ['main']]);
  });

  it('pushes later runs of the conversation to the same branch and pull request', async () => {
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
  });

  it('never overwrites what someone else pushed to the branch', async () => {
    const { server, service } = await startPublishing('cat >> notes.txt');
    const first = await ended(service, { prompt: 'three\n' });
    const branch = first.publication?.branch ?? '';
    const theirs = server.commit(branch, 'theirs.txt', 'x\n');
    const { conversation_id } = first;
    const second = await ended(service, { prompt: 'four\n', conversation_id });
    expect(second.state).toBe('SUCCEEDED');
    expect(second.publication).toMatchObject({
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

  it('is refused while the run is active, without changes, or where nothing publishes', async () => {
    const { service } = await startPublishing('[ "$(cat)" = wait ] && sleep 60; true', {
      publish: ask,
    });
    const active = await service.begin({ prompt: 'wait' });
    await service.until(active, 'INPROGRESS');
    expect((await publish(service, active)).status).toBe(409);
    await service.request(`/agent/runs/${active}/cancel`, { method: 'POST' });
    const run = await ended(service, { prompt: 'x' });
    const answer = await publish(service, run.run_id);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('changed no files');
    expect((await publish(service, run.run_id, { more: 1 })).status).toBe(400);
    const other = await startPublishing('cat >> notes.txt', { publish: { mode: 'none' } });
    const second = await ended(other.service, { prompt: 'x' });
    expect((await publish(other.service, second.run_id)).status).toBe(422);
    expect(second).not.toHaveProperty('publication');
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

describe('a refusal by the git server becomes a sentence that says what to do', () => {
  it.each<[string, PublishingOptions, string]>([
    ['a wrong token', { token: 'wrong' }, 'refused the login. Check the token'],
    [
      'a protected branch',
      {
        preReceive:
          'echo "error: GH006: Protected branch update failed for refs/heads/agent/1." >&2; echo "error: Changes must be made through a pull request." >&2; exit 1',
      },
      'GH006: Protected branch update failed for refs/heads/agent/1. Changes must be made through a pull request. Check its rules',
    ],
    [
      'a rule with many words',
      {
        preReceive:
          'echo "error: GH013: Repository rule violations found" >&2; yes "Push cannot contain secrets" | head -1000 >&2; yes . | head -3000 | tr -d "\\n" >&2; exit 1',
      },
      'GH013: Repository rule violations found',
    ],
    [
      'content that the server does not take',
      {
        preReceive:
          'echo "error: GH008: Your push referenced at least 1 unknown Git LFS object:" >&2; exit 1',
      },
      'GH008: Your push referenced at least 1 unknown Git LFS object',
    ],
    ['a base that does not exist', { publish: { base: 'nope' } }, 'has no branch nope'],
    ['an impossible name', { publish: { branch: 'a..b/{run}' } }, "isn't a possible name"],
    [
      'a missing token file',
      { publish: { token_file: '/nope' } },
      'Can\'t read the file of "token_file"',
    ],
  ])('%s', async (_, options, sentence) => {
    const { github, service } = await startPublishing('cat >> notes.txt', options);
    const run = await ended(service, { prompt: 'three\n' });
    expect(run.state).toBe('SUCCEEDED');
    expect(run.publication).toMatchObject({
      state: 'failed',
      message: expect.stringContaining(sentence),
    });
    expect(run.publication?.message).not.toContain('token-of-app');
    expect(run.publication?.message?.length).toBeLessThan(700);
    expect(github.pulls).toEqual([]);
  });
});
