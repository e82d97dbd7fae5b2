import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BranchWork } from '../../src/publishing/branch-work.ts';
import type { PublishPlan } from '../../src/publishing/publish-plan.ts';
import { actOnPullRequest } from '../../src/publishing/pull-requests/act-on-pull-request.ts';
import {
  possibleActions,
  whyNot,
} from '../../src/publishing/pull-requests/pull-request-actions.ts';
import type { PullRequest } from '../../src/store/publication.ts';
import {
  act,
  ended,
  type PublishingOptions,
  pollNow,
  pullRequestOf,
  settled,
  startPublishing,
} from './publishing.ts';

const script =
  'read -r first; until [ "$first" != wait ] || [ -e go ]; do sleep 0.05; done; rm -f go; echo "$first" >> notes.txt';

async function published(publish: PublishingOptions['publish'] = {}) {
  const started = await startPublishing(script, { publish: { merge: true, ...publish } });
  const { service, github } = started;
  const run = await ended(service, { prompt: 'three\n' });
  const [pull] = github.pulls;
  if (!pull) throw new Error('no pull request');
  const poll = async () => {
    await pollNow(started);
    return service.get(run.run_id);
  };
  const stored = async () => {
    const row = started.db.selectFrom('service_publications').select('action_json');
    return (await row.executeTakeFirstOrThrow()).action_json;
  };
  /** Requests an action, and waits until it's done. */
  const done = async (action: string) => {
    expect((await act(service, run.run_id, action)).status).toBe(200);
    await expect.poll(stored).toBe(null);
    return service.get(run.run_id);
  };
  return { ...started, run, id: run.run_id, pull, poll, done };
}

describe('"update_branch"', () => {
  it('merges the base, unless that conflicts or someone else pushed; later runs push on top of that', async () => {
    const { server, service, pull, run, poll, done } = await published();
    server.commit('main', 'other.txt', 'from main\n');
    pull.mergeable_state = 'behind';
    expect((await poll()).publication?.actions).toEqual(['update_branch']);
    pull.mergeable_state = 'clean';
    const updated = await done('update_branch');
    const branch = pull.head.ref;
    expect(server.git('show', `${branch}:other.txt`)).toBe('from main');
    expect(server.git('log', '-1', '--format=%s', branch)).toBe(`Merge main into ${branch}`);
    const tip = server.git('rev-parse', branch);
    expect(pullRequestOf(updated)).toMatchObject({ commit: tip, state: 'open' });
    await done('update_branch');
    expect(server.git('rev-parse', branch)).toBe(tip);

    const { conversation_id } = run;
    const later = await ended(service, { prompt: 'four\n', conversation_id });
    expect(later.publication).toMatchObject({ state: 'published' });
    expect(server.git('show', `${branch}:notes.txt`)).toBe('one\ntwo\nthree\nfour');
    expect(server.git('merge-base', tip, branch)).toBe(tip);

    server.commit('main', 'notes.txt', 'all\nnew\n');
    expect((await done('update_branch')).publication).toMatchObject({
      state: 'published',
      message: `main has changes that conflict with the branch ${branch}. Ask the agent to resolve that in a follow-up.`,
    });
    const theirs = server.commit(branch, 'theirs.txt', 'x\n');
    expect((await done('update_branch')).publication?.message).toContain('Someone else pushed');
    expect(server.git('rev-parse', branch)).toBe(theirs);
  });

  it('is not reverted by a run that started before it', async () => {
    const { server, service, pull, run, done } = await published();
    const { conversation_id } = run;
    const id = await service.begin({ prompt: 'wait\n', conversation_id });
    const folder = join(service.dataDir, 'work', id, 'repo', 'app');
    await expect.poll(() => existsSync(join(folder, 'notes.txt'))).toBe(true);
    await service.until(id, 'INPROGRESS');
    server.commit('main', 'other.txt', 'from main\n');
    await done('update_branch');
    writeFileSync(join(folder, 'go'), '');
    await service.until(id, 'SUCCEEDED');
    expect((await settled(service, id)).publication).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/started from an older one. Run this again.$/),
    });
    expect(server.git('show', `${pull.head.ref}:other.txt`)).toBe('from main');
  });
});

describe('"mark_ready" and "merge"', () => {
  it('take a draft to its merge, one after the other, and merge once although the answer was lost', async () => {
    const { github, server, service, id, pull, done } = await published({ draft: true });
    expect((await act(service, id, 'close')).status).toBe(400);
    const draft = await act(service, id, 'merge');
    expect([draft.status, await draft.text()]).toEqual([
      422,
      expect.stringContaining('is a draft'),
    ]);
    const ready = await done('mark_ready');
    expect(pullRequestOf(ready)).toMatchObject({ state: 'open' });
    expect(ready.publication?.actions).toEqual(['merge']);

    const message = 'Required status check "ci" is expected.';
    github.rejections.set('PUT', { status: 405, body: { message } });
    expect((await done('merge')).publication).toMatchObject({
      state: 'published',
      message: `GitHub rejected the merge: ${message}`,
      actions: ['merge'],
    });
    github.rejections.clear();

    github.repository.allow_merge_commit = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let lost = 0;
    github.gate.before = () => held;
    github.gate.after = async (what) =>
      what.startsWith('PUT') && ++lost === 1 ? 'lost' : undefined;
    const asked = await act(service, id, 'merge');
    expect(((await asked.json()) as { publication: object }).publication).toMatchObject({
      message: 'Merging the pull request',
      actions: [],
    });
    expect((await act(service, id, 'update_branch')).status).toBe(409);
    release();
    const merged = await done('merge');
    expect(pullRequestOf(merged)).toMatchObject({ state: 'merged' });
    expect(merged.publication).not.toHaveProperty('message');
    expect(merged.publication?.actions).toEqual([]);
    await done('merge');
    expect([lost, github.merges]).toEqual([1, ['squash']]);
    expect(server.git('show', 'main:notes.txt')).toBe('one\ntwo\nthree');
    expect(pull.merged_at).not.toBe(null);
  });
});

const pullRequest = (more: Partial<PullRequest> = {}): PullRequest => ({
  number: 1,
  url: '',
  title: '',
  state: 'open',
  head: 'seen',
  ...more,
});

describe('a pull request', () => {
  const plan = (merge: boolean) => ({ config: { merge } }) as PublishPlan;
  const actable = (more: Partial<PullRequest> | null) => ({
    pullRequest: more && pullRequest(more),
    action: null,
    asked: 1,
    done: 1,
  });

  it.each<[more: Partial<PullRequest> | null, merge: boolean, offered: string[]]>([
    [null, true, []],
    [{}, true, ['merge']],
    [{}, false, []],
    [{ obstacle: 'rules' }, true, []],
    [{ obstacle: 'behind' }, true, ['update_branch']],
    [{ obstacle: 'behind', state: 'draft' }, true, ['update_branch', 'mark_ready']],
    [{ state: 'closed' }, true, []],
    [{ state: 'merged' }, true, []],
  ])('%j, merging allowed %s: %j', (more, merge, offered) => {
    expect(possibleActions(actable(more), plan(merge))).toEqual(offered);
    const busy = { ...actable(more), asked: 2 };
    expect(possibleActions(busy, plan(merge))).toEqual([]);
  });

  it.each([
    ['merge', null, true, /has no pull request/],
    ['merge', {}, false, /Set "merge: true" under "publish"/],
    ['mark_ready', { state: 'closed' }, true, /was closed\. Reopen it/],
    ['update_branch', { state: 'merged' }, true, /was merged/],
    ['merge', { state: 'draft' }, true, /is a draft/],
    ['merge', { state: 'merged' }, true, /^none$/],
    ['mark_ready', {}, true, /^none$/],
  ] as const)('says why not to %s: %j', (action, more, merge, reason) => {
    expect(whyNot(action, actable(more), plan(merge)) ?? 'none').toMatch(reason);
  });

  it.each([
    ['is merged only with the commits that the person saw', 'merge', { head: 'newer' }, /newer/],
    ['that was closed is not changed', 'mark_ready', { state: 'closed' }, /was closed/],
    ['that is merged already stays as it is', 'merge', { state: 'merged' }, undefined],
    ['that is ready already stays as it is', 'mark_ready', {}, undefined],
  ] as const)('%s', async (_name, action, found, problem) => {
    const poll = { pullRequest: pullRequest(found), seen: {} };
    // The host has no methods to merge or to mark as ready.
    const work = { host: { poll: async () => poll } } as unknown as BranchWork;
    const acting = actOnPullRequest(work, pullRequest(), { action, head: 'seen', askedAt: 1 });
    if (problem) await expect(acting).rejects.toThrow(problem);
    else expect(await acting).toBe(poll);
  });
});
