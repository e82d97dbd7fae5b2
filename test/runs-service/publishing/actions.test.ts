import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  act,
  ended,
  lookNow,
  type PublishingOptions,
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
  const look = async () => {
    await lookNow(started);
    return service.get(run.run_id);
  };
  /** Asks for it and waits until that is done. */
  const done = async (action: string) => {
    const answer = await act(service, run.run_id, action);
    expect(answer.status).toBe(200);
    await expect
      .poll(async () => {
        const row = await started.db
          .selectFrom('service_publications')
          .select('action_json')
          .executeTakeFirstOrThrow();
        return row.action_json;
      })
      .toBe(null);
    return service.get(run.run_id);
  };
  return { ...started, run, id: run.run_id, pull, look, done };
}

const actionsOf = (run: { publication?: { actions?: unknown } | null | undefined }) =>
  run.publication?.actions;

describe('"update_branch"', () => {
  it('merges the base, and later runs of the conversation push on top of that', async () => {
    const { server, service, pull, run, look, done } = await published();
    server.commit('main', 'other.txt', 'from main\n');
    pull.mergeable_state = 'behind';
    expect(actionsOf(await look())).toEqual(['update_branch']);
    pull.mergeable_state = 'clean';
    const updated = await done('update_branch');
    const branch = pull.head.ref;
    expect(server.git('show', `${branch}:other.txt`)).toBe('from main');
    expect(server.git('log', '-1', '--format=%s%n%P', branch).split('\n')[0]).toBe(
      `Merge main into ${branch}`,
    );
    const tip = server.git('rev-parse', branch);
    expect(pullRequestOf(updated)).toMatchObject({ commit: tip, state: 'open' });
    await done('update_branch');
    expect(server.git('rev-parse', branch)).toBe(tip);

    const { conversation_id } = run;
    const later = await ended(service, { prompt: 'four\n', conversation_id });
    expect(later.publication).toMatchObject({ state: 'published' });
    expect(server.git('show', `${branch}:notes.txt`)).toBe('one\ntwo\nthree\nfour');
    expect(server.git('show', `${branch}:other.txt`)).toBe('from main');
    expect(server.git('merge-base', tip, branch)).toBe(tip);
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

  it('says that the base conflicts, or that someone else pushed', async () => {
    const { server, pull, done } = await published();
    const branch = pull.head.ref;
    server.commit('main', 'notes.txt', 'all\nnew\n');
    const conflicting = await done('update_branch');
    expect(conflicting.publication).toMatchObject({
      state: 'published',
      message: `main has changes that conflict with the branch ${branch}. Ask the agent to resolve that in a follow-up.`,
    });
    const theirs = server.commit(branch, 'theirs.txt', 'x\n');
    expect((await done('update_branch')).publication?.message).toContain('Someone else pushed');
    expect(server.git('rev-parse', branch)).toBe(theirs);
  });
});

describe('"mark_ready" and "merge"', () => {
  it('take a draft to its merge', async () => {
    const { github, server, service, id, pull, look, done } = await published({ draft: true });
    expect(actionsOf(await look())).toEqual(['mark_ready']);
    expect((await act(service, id, 'merge')).status).toBe(422);
    expect(pullRequestOf(await done('mark_ready'))).toMatchObject({ state: 'open' });
    expect(actionsOf(await done('mark_ready'))).toEqual(['merge']);
    github.repository.allow_merge_commit = false;
    const merged = await done('merge');
    expect(pullRequestOf(merged)).toMatchObject({ state: 'merged' });
    expect(actionsOf(merged)).toEqual([]);
    await done('merge');
    expect(github.merges).toEqual(['squash']);
    expect(server.git('show', 'main:notes.txt')).toBe('one\ntwo\nthree');
    expect(pull.merged_at).not.toBe(null);
  });

  it('merge once, although the answer to that was lost', async () => {
    const { github, done } = await published();
    let lost = 0;
    github.gate.after = async (what) =>
      what.startsWith('PUT') && ++lost === 1 ? 'lost' : undefined;
    expect(pullRequestOf(await done('merge'))).toMatchObject({ state: 'merged' });
    expect([lost, github.merges]).toEqual([1, ['merge']]);
  });

  it('merge nothing that the person has not seen', async () => {
    const { github, server, pull, done } = await published();
    server.commit(pull.head.ref, 'theirs.txt', 'x\n');
    expect((await done('merge')).publication?.message).toMatch(/has newer commits/);
    expect(github.merges).toEqual([]);
  });

  it.each([
    ['a check that must pass', 405, 'Required status check "ci" is expected.'],
    ['a rule', 422, 'Changes must be made through a merge queue.'],
  ])('say what the host says about %s', async (_, status, message) => {
    const { github, service, id, done } = await published();
    github.refusals.set('PUT', { status, body: { message } });
    const refused = await done('merge');
    expect(refused.publication).toMatchObject({
      state: 'published',
      message: `GitHub refused to merge: ${message}`,
      actions: ['merge'],
    });
    github.refusals.clear();
    expect((await done('merge')).publication).not.toHaveProperty('message');
    expect(pullRequestOf(await service.get(id))).toMatchObject({ state: 'merged' });
  });

  it('come one after the other, and the same again changes nothing', async () => {
    const { github, service, id } = await published();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    github.gate.before = () => held;
    const first = await act(service, id, 'merge');
    expect(((await first.json()) as { publication: object }).publication).toMatchObject({
      message: 'Merging the pull request',
      actions: [],
    });
    expect((await act(service, id, 'merge')).status).toBe(200);
    expect((await act(service, id, 'update_branch')).status).toBe(409);
    release();
    await expect.poll(() => github.merges).toEqual(['merge']);
  });
});

describe('what an environment or a pull request does not allow', () => {
  it('is refused with a sentence', async () => {
    const { github, service, id, pull, look } = await published({ merge: false });
    expect(actionsOf(await look())).toEqual([]);
    const refused = await act(service, id, 'merge');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('Set \\"merge: true\\" under \\"publish\\"');
    expect((await act(service, id, 'close')).status).toBe(400);
    pull.state = 'closed';
    await look();
    expect(await (await act(service, id, 'mark_ready')).text()).toContain('was closed');
    const other = await service.begin({ prompt: 'wait\n' });
    expect((await act(service, other, 'merge')).status).toBe(422);
    expect(github.merges).toEqual([]);
  });
});
