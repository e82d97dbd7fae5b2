import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublishConfig } from '../../src/environments/publish-config.ts';
import { createCodeHosts } from '../../src/publishing/hosts/create-code-host.ts';
import type { PublishPlan } from '../../src/publishing/publish-plan.ts';
import { PublishProblem } from '../../src/publishing/publish-problem.ts';
import { startGitServer } from '../support/code-hosts/git-server.ts';
import { startGitlabServer } from '../support/code-hosts/gitlab-server.ts';
import { shellEnvironment, startRunsService, temporaryFolder } from '../support/runs-service.ts';
import { act, ended, pullRequestOf } from './publishing.ts';

const token = 'glpat-token-of-app';
const { signal } = new AbortController();

async function startHost() {
  const server = await startGitServer({ login: `oauth2:${token}` });
  const gitlab = await startGitlabServer(server, token);
  const tokenFile = join(temporaryFolder(), 'token');
  writeFileSync(tokenFile, token);
  const config: PublishConfig = { token_file: tokenFile, host: 'gitlab', api_url: gitlab.apiUrl };
  const plan: PublishPlan = {
    config,
    repository: { url: server.url },
    mode: 'ask',
    kind: 'gitlab',
    project: 'acme/app',
    apiUrl: gitlab.apiUrl,
  };
  return { server, gitlab, config, plan, tokenFile, host: createCodeHosts()(plan) };
}

async function opened() {
  const started = await startHost();
  started.server.git('branch', 'agent/1', 'main');
  const wanted = { branch: 'agent/1', base: 'main', title: 'T', body: 'B', draft: false };
  const found = await started.host.open(wanted, signal);
  const [request] = started.gitlab.mergeRequests;
  if (!request || found === 'exists') throw new Error('not opened');
  return { ...started, wanted, found, request };
}

describe('a project on GitLab', () => {
  it('gets one merge request, from its draft to its merge', async () => {
    const { server, gitlab, config } = await startHost();
    const environment = shellEnvironment('cat >> notes.txt', {
      repositories: [{ url: server.url, name: 'acme/app' }],
      publish: {
        ...config,
        mode: 'pull_request',
        draft: true,
        merge: true,
        labels: ['agent'],
        reviewers: ['grace', 'nobody'],
      },
    });
    const service = await startRunsService({ environments: [environment] });
    const run = await ended(service, { prompt: 'three\n', title: 'Add three' });
    expect(run.publication).toMatchObject({
      state: 'published',
      message: expect.stringMatching(/^Couldn't add all reviewers/),
    });
    expect(pullRequestOf(run)).toMatchObject({ state: 'draft', number: 1 });
    expect(gitlab.mergeRequests).toMatchObject([
      { title: 'Draft: Add three', target_branch: 'main', reviewers: [{ id: 7 }] },
    ]);
    expect(gitlab.labels).toEqual(['agent']);

    const again = { prompt: 'four\n', conversation_id: run.conversation_id };
    await ended(service, again);
    expect(gitlab.mergeRequests).toHaveLength(1);

    const done = async (action: string, state: string) => {
      expect((await act(service, run.run_id, action)).status).toBe(200);
      await expect
        .poll(async () => pullRequestOf(await service.get(run.run_id)))
        .toMatchObject({ state });
    };
    await done('mark_ready', 'open');
    expect(gitlab.mergeRequests[0]?.title).toBe('Add three');
    await done('merge', 'merged');
    expect(server.git('show', 'main:notes.txt')).toBe('one\ntwo\nthree\nfour');
    expect(gitlab.merges).toEqual([1]);
  });

  it('is asked for pipelines, approvals and obstacles, and says when nothing changed', async () => {
    const { gitlab, host, request, found } = await opened();
    let last = await host.poll(1, {}, signal);
    const poll = async (change: Partial<typeof request>) => {
      Object.assign(request, change);
      last = await host.poll(1, last.seen, signal);
      return last.pullRequest;
    };
    expect(last.pullRequest).toEqual({ ...found, head: request.sha });
    const counted = gitlab.counted.length;
    await poll({});
    expect(gitlab.counted).toHaveLength(counted);

    for (const [status, checks] of [
      ['running', 'pending'],
      ['manual', 'pending'],
      ['success', 'passing'],
      ['canceled', 'failing'],
    ])
      expect(await poll({ head_pipeline: { status: status ?? '' } })).toMatchObject({ checks });
    expect(await poll({ head_pipeline: { status: 'skipped' } })).not.toHaveProperty('checks');

    expect(await poll({ reviewers: [{ id: 7 }] })).toMatchObject({ review: 'required' });
    gitlab.approvals.approved_by.push({ user: { id: 7 } });
    expect(await poll({})).toMatchObject({ review: 'approved' });
    for (const [status, more] of [
      ['not_approved', { review: 'required', obstacle: 'rules' }],
      ['requested_changes', { review: 'changes_requested', obstacle: 'rules' }],
      ['need_rebase', { obstacle: 'behind' }],
      ['conflict', { obstacle: 'conflicts' }],
      ['ci_must_pass', { obstacle: 'rules' }],
    ] as const)
      expect(await poll({ detailed_merge_status: status })).toMatchObject(more);
    expect(await poll({ detailed_merge_status: 'checking' })).not.toHaveProperty('obstacle');
    expect(await poll({ state: 'locked' })).toMatchObject({ state: 'open' });
    expect(await poll({ state: 'closed' })).toMatchObject({ state: 'closed' });
    gitlab.rejections.set('/approvals', { status: 403, body: { message: '403 Forbidden' } });
    expect(await poll({ state: 'opened' })).toMatchObject({ state: 'open' });
  });

  it('has one open merge request for a branch, which is never the one of a fork with a branch of that name', async () => {
    const { host, gitlab, request, wanted } = await opened();
    expect(await host.open(wanted, signal)).toBe('exists');
    expect(await host.find('agent/1', signal)).toMatchObject({ number: 1, state: 'open' });
    expect(await host.find('agent/2', signal)).toBeUndefined();
    gitlab.mergeRequests.push({ ...request, iid: 2, source_project_id: 666 });
    expect(await host.find('agent/1', signal)).toMatchObject({ number: 1 });
    gitlab.mergeRequests.shift();
    expect(await host.find('agent/1', signal)).toBeUndefined();
  });
});

describe('a rejection by GitLab says what to do, and whether it passes', () => {
  it.each<[number, unknown, Record<string, string>, boolean, RegExp]>([
    [401, { message: '401 Unauthorized' }, {}, false, /rejected the token/],
    [403, { message: '403 Forbidden' }, {}, false, /doesn't let the token do this/],
    [404, { message: '404 Project Not Found' }, {}, false, /has no acme\/app/],
    [422, { message: { base: ['is invalid'] } }, {}, false, /rejected the pull request: +base/],
    [400, { error: 'title is missing' }, {}, false, /title is missing/],
    [429, { message: 'Retry later' }, { 'retry-after': '60' }, true, /limits requests/],
    [502, '<html>', {}, true, /failed with status 502/],
    [200, '<html>', {}, false, /Check "api_url"/],
  ])('%i', async (status, body, headers, isTemporary, message) => {
    const { gitlab, host } = await startHost();
    gitlab.rejections.set('POST', { status, body, headers });
    const wanted = { branch: 'agent/1', base: 'main', title: 'T', body: 'B', draft: false };
    const problem = await host.open(wanted, signal).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(PublishProblem);
    expect(problem).toMatchObject({ isTemporary, message: expect.stringMatching(message) });
    if (status === 429) expect(problem).toMatchObject({ retryAfterMs: 60_000 });
    expect(JSON.stringify(problem)).not.toContain(token);
  });

  it('to merge, also other commits than those that were shown, and to answer a wrong token', async () => {
    const { gitlab, host, request, tokenFile } = await opened();
    const merge = (sha: string) =>
      host.merge(1, sha, signal).catch((error: unknown) => error as PublishProblem);
    for (const [status, message] of [
      [401, "The token's user can't merge here."],
      [405, '405 Method Not Allowed'],
      [422, 'Branch cannot be merged'],
    ] as const) {
      gitlab.rejections.set('PUT', { status, body: { message } });
      expect(await merge(request.sha ?? '')).toMatchObject({
        isTemporary: false,
        message: `GitLab rejected the merge: ${message}`,
      });
    }
    gitlab.rejections.clear();
    // The next attempt checks the state first.
    expect(await merge('1'.repeat(40))).toMatchObject({ isTemporary: true });
    writeFileSync(tokenFile, 'other');
    await expect(host.find('agent/1', signal)).rejects.toThrow('rejected the token');
  });
});
