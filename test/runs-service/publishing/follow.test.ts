import { describe, expect, it } from 'vitest';
import { nextLookAt } from '../../../src/runs-service/publishing/pull-requests/follow-pull-request.ts';
import type { Publication } from '../../../src/store/service/publication.ts';
import { ended, lookNow, pullRequestOf, startPublishing } from './publishing.ts';

async function published() {
  const started = await startPublishing('cat >> notes.txt', { publish: { reviewers: ['grace'] } });
  const run = await ended(started.service, { prompt: 'three\n' });
  /** Looks once more. @returns what the run shows of its pull request */
  const look = async () => {
    await lookNow(started);
    return started.service.get(run.run_id);
  };
  return { ...started, id: run.run_id, look };
}

const review = (state: string, author_association = 'MEMBER') => ({
  state,
  author_association,
  user: { id: author_association.length },
});

describe('a pull request is followed', () => {
  it('through checks, reviews and its merge, and its run counts as changed', async () => {
    const { github, server, service, look } = await published();
    const [pull] = github.pulls;
    if (!pull) throw new Error('no pull request');
    const first = await look();
    expect(pullRequestOf(first)).toMatchObject({ state: 'open', review: 'required' });
    expect(pullRequestOf(first)).not.toHaveProperty('checks');

    const since = new Date(Date.parse(first.updated_at ?? '')).toISOString();
    github.checkRuns.push({ status: 'in_progress', conclusion: null });
    expect(pullRequestOf(await look())).toMatchObject({ checks: 'pending' });
    const listed = await service.request(`/agent/runs?updated_after=${since}`);
    expect(((await listed.json()) as { runs: unknown[] }).runs).toHaveLength(1);

    github.checkRuns[0] = { status: 'completed', conclusion: 'skipped' };
    Object.assign(github.status, { state: 'success', total_count: 1 });
    expect(pullRequestOf(await look())).toMatchObject({ checks: 'passing' });
    const success = { status: 'completed', conclusion: 'success' };
    github.checkRuns.push(...Array.from({ length: 100 }, () => success));
    expect(pullRequestOf(await look())).not.toHaveProperty('checks');
    github.status.state = 'error';
    expect(pullRequestOf(await look())).toMatchObject({ checks: 'failing' });

    pull.requested_reviewers = [];
    github.reviews.push(review('APPROVED', 'NONE'));
    expect(pullRequestOf(await look())).not.toHaveProperty('review');
    github.reviews.push(review('CHANGES_REQUESTED'), review('COMMENTED'));
    expect(pullRequestOf(await look())).toMatchObject({ review: 'changes_requested' });
    github.reviews.push(review('APPROVED'));
    expect(pullRequestOf(await look())).toMatchObject({ review: 'approved' });

    const theirs = server.commit(pull.head.ref, 'theirs.txt', 'x\n');
    expect(pullRequestOf(await look())).toMatchObject({ commit: theirs });
    Object.assign(pull, { state: 'closed', merged_at: new Date().toISOString() });
    expect(pullRequestOf(await look())).toMatchObject({ state: 'merged' });
  });

  it('at no cost while nothing changes', async () => {
    const { github, look, id, db } = await published();
    const before = await look();
    const counted = github.counted.length;
    const lookedAt = Date.now();
    const after = await look();
    expect(github.seen.slice(-4).toSorted()).toEqual([
      expect.stringMatching(/^GET .*\/check-runs$/),
      expect.stringMatching(/^GET .*\/status$/),
      'GET /repos/acme/app/pulls/1',
      'GET /repos/acme/app/pulls/1/reviews',
    ]);
    expect(github.counted).toHaveLength(counted);
    expect(after.updated_at).toBe(before.updated_at);
    expect(after.run_id).toBe(id);
    const row = await db.selectFrom('service_publications').selectAll().executeTakeFirstOrThrow();
    expect(row.due_at).toBeGreaterThan(lookedAt + 20_000);
  });

  it('without what the token may not see', async () => {
    const { github, look } = await published();
    for (const part of ['check-runs', '/status', '/reviews'])
      github.refusals.set(part, { status: 403, body: { message: 'Resource not accessible' } });
    const run = await look();
    expect(pullRequestOf(run)).toMatchObject({ state: 'open' });
    expect(run.publication).not.toHaveProperty('message');
  });

  it('after a refusal, which is said once, until it works again', async () => {
    const { github, look } = await published();
    await look();
    github.refusals.set('GET', { status: 401, body: { message: 'Bad credentials' } });
    const refused = await look();
    expect(refused.publication).toMatchObject({
      state: 'published',
      message: expect.stringMatching(/^Can't follow the pull request: GitHub /),
    });
    expect(pullRequestOf(refused)).toMatchObject({ state: 'open' });
    expect((await look()).updated_at).toBe(refused.updated_at);
    github.refusals.clear();
    expect((await look()).publication).not.toHaveProperty('message');
  });

  it.each<[string, number, string, Record<string, string>]>([
    ['too many requests', 429, 'Slow', { 'retry-after': '600' }],
    ['a secondary limit', 403, 'You have exceeded a secondary rate limit.', {}],
  ])('after %s, about which people can do nothing', async (_, status, message, headers) => {
    const { github, look, db } = await published();
    await look();
    github.refusals.set('GET', { status, body: { message }, headers });
    const lookedAt = Date.now();
    expect((await look()).publication).not.toHaveProperty('message');
    const row = await db.selectFrom('service_publications').selectAll().executeTakeFirstOrThrow();
    const waitMs = Number(headers['retry-after'] ?? 30) * 1_000;
    expect(row.due_at).toBeGreaterThan(lookedAt + waitMs - 15_000);
  });
});

describe('the next look', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const now = 100 * day;
  const at = (state: string, agoMs: number, changedAgoMs = agoMs) =>
    nextLookAt(
      {
        pullRequest: { number: 1, url: '', title: '', state },
        followed: { seen: {}, changedAt: now - changedAgoMs },
        publishedAt: now - agoMs,
        action: null,
      } as Publication,
      now,
    );
  it.each([
    ['soon after it was opened', at('open', minute), now + 30_000],
    ['later after hours', at('draft', hour), now + 3 * minute],
    ['at least every 15 minutes', at('closed', 13 * day), now + 15 * minute],
    ['soon after a change', at('open', 13 * day, minute), now + 30_000],
    ['never after a merge', at('merged', minute), null],
    ['never after 14 days', at('open', 14 * day + 1, minute), null],
  ])('is %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});
