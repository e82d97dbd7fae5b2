import { describe, expect, it } from 'vitest';
import {
  pullRequestFact,
  pullRequestLine,
  renderPullRequests,
} from '../../../../src/slack/runs/showing/run-pull-requests.ts';
import { aRequest, aRun } from '../../../support/builders.ts';
import { textOf } from '../../../support/product/product.ts';

const url = 'https://github.com/acme/shop/pull/12';
const linked = `PR <${url}|acme/shop#12>`;
const artifact = (data: object) => ({ artifact_type: 'PULL_REQUEST', data: { ...data } });
const shownOf = (publication: { state: string; [name: string]: unknown }, ...all: object[]) =>
  textOf(
    renderPullRequests(aRequest({ run: aRun({ artifacts: all.map(artifact), publication }) })),
  );

describe('a pull request', () => {
  it.each([
    [
      { state: 'open', checks: 'passing', review: 'approved' },
      `${linked}  ·  open  ·  checks passing  ·  approved`,
    ],
    [
      { state: 'draft', checks: 'pending', review: 'required' },
      `${linked}  ·  draft  ·  checks running  ·  review required`,
    ],
    [
      { state: 'open', checks: 'failing', review: 'changes_requested' },
      `${linked}  ·  open  ·  checks failing  ·  changes requested`,
    ],
    [{ state: 'merged', checks: 'failing' }, `${linked}  ·  merged`],
    [{ state: 'closed' }, `${linked}  ·  closed`],
    [{ state: 'locked', checks: 'new', review: 'new' }, `${linked}  ·  locked`],
    [{}, linked],
    [{ state: '<!channel>' }, `${linked}  ·  &lt;!channel&gt;`],
    [{ url: 'javascript:alert(1)', branch: '`x` <!here>' }, 'PR `ˋxˋ &lt;!here&gt;`'],
    [
      { url: 'https://gitlab.example/a/b/c/-/merge_requests/7' },
      expect.stringContaining('|a/b/c#7>'),
    ],
  ])('is shown with its state: %j', (data, line) => {
    expect(pullRequestLine({ url, ...data })).toEqual(line);
  });

  it.each([
    [{ url, state: 'merged' }, 'PR #12 merged'],
    [{ url, number: 13, state: 'draft' }, 'PR #13 draft'],
    [{ url }, 'PR #12'],
    [{ branch: 'agent/1', state: 'open' }, 'PR agent/1 open'],
  ])('is a few words in a list: %j', (data, words) => {
    expect(pullRequestFact(data)).toBe(words);
  });

  it('is one of three at most', () => {
    const all = Array.from({ length: 5 }, () => ({ url }));
    expect(shownOf({ state: 'published' }, ...all)).toContain('… 2 more in Details');
  });
});

describe('a publication', () => {
  it.each([
    [{ state: 'publishing' }, 'Creating the pull request…'],
    [{ state: 'publishing', mode: 'branch' }, 'Creating the branch…'],
    [
      { state: 'failed', message: 'No <!here> branch' },
      'create the pull request: No &lt;!here&gt;',
    ],
    [{ state: 'failed' }, "Couldn't create the pull request."],
    [{ state: 'published', mode: 'branch', branch: 'agent/1' }, 'Pushed to branch `agent/1`.'],
    [{ state: 'published', message: 'The base moved.' }, 'The base moved.'],
  ])('is said in words: %j', (publication, words) => {
    expect(shownOf(publication)).toContain(words);
  });

  it('of a pull request that exists is an update', () => {
    expect(shownOf({ state: 'publishing' }, { url })).toContain('Updating the pull request…');
    expect(shownOf({ state: 'failed' }, { url })).toContain("Couldn't update the pull request.");
  });

  it.each(['offered', 'something new'])('that is %s needs no words', (state) => {
    expect(renderPullRequests(aRequest({ run: aRun({ publication: { state } }) }))).toEqual([]);
  });
});
