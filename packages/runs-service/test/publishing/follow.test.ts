import { describe, expect, it } from 'vitest';
import { trackPublication } from '../../src/publishing/branch-work.ts';
import type { PullRequestPoll } from '../../src/publishing/hosts/code-host.ts';
import { presentPublication } from '../../src/publishing/present-publication.ts';
import { PublishProblem } from '../../src/publishing/publish-problem.ts';
import { workOnPublication } from '../../src/publishing/publisher.ts';
import { nextPollAt } from '../../src/publishing/pull-requests/follow-pull-request.ts';
import type { Publication, PullRequest } from '../../src/store/publication.ts';
import { createPublications } from '../../src/store/publications.ts';
import { createRuns } from '../../src/store/runs.ts';
import { useDatabase } from '../support/databases.ts';
import { shellEnvironment } from '../support/runs-service.ts';
import { aServiceRun } from '../support/service/service-run-builder.ts';
import { publisherDeps } from './publisher-deps.ts';

const database = useDatabase();
const open: PullRequest = { number: 1, url: 'https://x.test/1', state: 'open', title: 'T' };

/** Creates a published run, whose pull request the test polls. */
async function published() {
  const runs = createRuns(database());
  const publications = createPublications(database());
  const run = await runs.create(aServiceRun({ environment_id: 'e' }));
  await publications.ask({ run, branch: 'agent/1', wanted: {} });
  const publish = { mode: 'ask', host: 'github' } as const;
  const environment = shellEnvironment('true', { id: 'e', publish });
  let answer: PullRequestPoll | PublishProblem = { pullRequest: open, seen: {} };
  const host = {
    async poll() {
      if (answer instanceof PublishProblem) throw answer;
      return answer;
    },
  };
  const deps = { ...publisherDeps(database(), host), environments: () => [environment] };
  const [leased] = await publications.claim('me', 60_000, 1);
  if (!leased) throw new Error('nothing was due');
  const tracked = trackPublication(publications, leased);
  const now = Date.now();
  await tracked.record({ done: 1, publishedAt: now, pullRequest: open });
  const { signal } = new AbortController();
  const poll = async (next: typeof answer) => {
    answer = next;
    const dueAt = await workOnPublication(deps, tracked, signal);
    const found = (await publications.ofRuns([run.id])).get(run.id);
    const shown = found && presentPublication(found, undefined);
    return { ...shown, dueAt, updatedAt: (await runs.get(run.id))?.updated_at ?? 0 };
  };
  const notes = async () => (await runs.changesOf(run.id)).map(({ note }) => note);
  return { poll, notes };
}
const pollResult = (more: Partial<PullRequest>): PullRequestPoll => ({
  pullRequest: { ...open, ...more },
  seen: { pull: { etag: JSON.stringify(more), value: more } },
});

describe('a pull request is followed', () => {
  it('so that its run counts as changed when it changes, and only then, until it is merged', async () => {
    const { poll, notes } = await published();
    const first = await poll(pollResult({ checks: 'pending' }));
    const second = await poll(pollResult({ checks: 'passing' }));
    expect(second.updatedAt).toBeGreaterThan(first.updatedAt);
    const same = await poll(pollResult({ checks: 'passing' }));
    expect(same.updatedAt).toBe(second.updatedAt);
    expect(same.dueAt).toBeGreaterThan(Date.now());
    const merged = await poll(pollResult({ state: 'merged' }));
    expect(merged.dueAt).toBeNull();
    expect(await notes()).toContain('Pull request #1 was merged');
  });

  it('after a rejection, which is said once, until it works again', async () => {
    const { poll } = await published();
    const rejected = await poll(new PublishProblem('GitHub rejected the token.'));
    expect(rejected).toMatchObject({
      state: 'published',
      message: "Can't follow the pull request: GitHub rejected the token.",
    });
    const again = await poll(new PublishProblem('GitHub rejected the token.'));
    expect(again.updatedAt).toBe(rejected.updatedAt);
    expect(await poll(pollResult({}))).not.toHaveProperty('message');
  });

  it('after a limit, about which people can do nothing, once the host allows it', async () => {
    const { poll } = await published();
    const beganAt = Date.now();
    const limit = new PublishProblem('Slow', { isTemporary: true, retryAfterMs: 600_000 });
    const limited = await poll(limit);
    expect(limited).not.toHaveProperty('message');
    expect(limited.dueAt).toBeGreaterThanOrEqual(beganAt + 600_000);
  });
});

describe('the next poll', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const now = 100 * day;
  const at = (state: PullRequest['state'], agoMs: number, changedAgoMs = agoMs) =>
    nextPollAt(
      {
        pullRequest: { ...open, state },
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
