import { expect, it } from 'vitest';
import { homeOf } from '../../support/product/home.ts';
import { general, runMessageIn, runMessageShowing, textOf } from '../../support/product/product.ts';
import { pullRequest, startChangedRun } from './changed-run.ts';

it('Create pull request asks those who can cancel the run for what matters, and the message shows how it goes', async () => {
  const { workspace, grace, api, shows, at, opens } = await startChangedRun();
  const alan = workspace.as('alan');
  await alan.clicks(at, 'pull-request:create');
  await workspace.until(() =>
    workspace
      .messagesIn(general)
      .find(
        ({ visibleTo, text }) =>
          visibleTo === alan.person.id && text.startsWith(`Only <@${grace.person.id}>`),
      ),
  );
  expect([alan.modal(), api.posted]).toEqual([undefined, []]);

  // If the service rejects the request, the message shows the reason.
  api.answersPosts(422, 200);
  await opens(grace, 'pull-request:create', 'Reviewers');
  await grace.submits();
  const rejected = await runMessageShowing(workspace, 'The branch is protected.');
  expect(textOf(rejected.blocks)).toContain('"Retry pull request"');

  const view = await opens(grace, 'pull-request:create', 'Reviewers');
  expect(textOf(view?.content)).toContain('I fixed the **login**.');
  shows({ state: 'publishing' });
  const values = { title: 'Fix it', reviewers: '@ada, grace', draft: 'draft', base: 'next' };
  expect(await grace.submits(values)).toEqual({});
  await runMessageShowing(workspace, 'Creating the pull request');
  await expect.poll(() => api.posted.length).toBe(2);
  expect(api.posted[1]).toEqual({
    to: 'publish',
    body: {
      title: 'Fix it',
      body: 'I fixed the **login**.',
      base: 'next',
      draft: true,
      reviewers: ['ada', 'grace'],
    },
  });
  shows({ state: 'published' }, pullRequest('open', { checks: 'pending' }));
  const shown = await runMessageShowing(workspace, '  ·  open  ·  checks running');
  expect(textOf(shown.blocks)).toContain('"View pull request"');
  // Home lists the pull request under those that need review, until it's merged.
  const home = await homeOf({ workspace }, 'ada');
  await home.clicks('home:creator', 'everyone');
  await home.until('fix the login');
  await home.clicks('home:state', 'review');
  await home.until('*PR #12 open*');
  shows({ state: 'published' }, pullRequest('merged'));
  await runMessageShowing(workspace, '  ·  merged');
  await home.clicks('home:more', 'refresh');
  await home.until('No runs match these filters.');
  await home.clicks('home:state', 'any');
  await home.until('*PR #12 merged*');
  const ends = workspace.messagesIn(general).filter(({ text }) => /✅ Succeeded/.test(text));
  expect(ends).toHaveLength(1);
});

it('the pull request is marked as ready and merged from the details, once, which then offer it no longer', async () => {
  const { workspace, grace, api, shows, opens, at } = await startChangedRun();
  shows({ state: 'published', actions: ['mark_ready', 'dance'] }, pullRequest('draft'));
  await runMessageShowing(workspace, '  ·  draft');
  const details = await opens(grace, 'run:details', 'Mark ready');
  expect(textOf(details?.content)).not.toMatch(/"Merge"|dance/);
  await grace.clicks({ view: details }, 'pull-request:mark-ready');
  await workspace.until(() =>
    textOf(grace.modal()?.content).includes('The run message shows the result.'),
  );
  shows({ state: 'published', actions: ['merge'] }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  await grace.closesModal({ all: true });

  const noAnswer = -1;
  api.answersPosts(200, noAnswer);
  const view = await opens(grace, 'run:details', '"Merge"');
  const clicks = [1, 2].map(() => grace.clicks({ view }, 'pull-request:merge'));
  await Promise.all(clicks);
  await workspace.until(() =>
    textOf(grace.modal()?.content).includes('The run message shows the result.'),
  );
  await expect.poll(() => api.posted.length).toBeGreaterThan(1);
  await workspace.settled();
  const views = workspace.traffic.recent().filter(({ name }) => name.startsWith('views.'));
  expect(textOf(views)).not.toMatch(/isn't possible|already asked/);
  expect(api.posted).toEqual([
    { to: 'pull-request', body: { action: 'mark_ready' } },
    { to: 'pull-request', body: { action: 'merge' } },
  ]);
  // The details below the answer show that the merge was requested.
  while (grace.modal() && grace.modal()?.id !== view?.id) await grace.closesModal();
  await workspace.until(() => textOf(grace.modal()?.content).includes('Merging the pull request'));
  expect(textOf(grace.modal()?.content)).not.toContain('"Merge"');
  expect(runMessageIn(workspace)?.ts).toBe(at.messageTs);
});

it('a pull request whose checks pass is merged from the run message, by those who may', async () => {
  const { workspace, grace, api, shows, at } = await startChangedRun();
  const buttons = (message: unknown) =>
    [...textOf(message).matchAll(/"type":"button"[^}]*"text":\{[^}]*"text":"([^"]+)"/g)].map(
      ([, text]) => text,
    );
  const offered = { state: 'published', actions: ['merge'] };
  shows(offered, pullRequest('open', { checks: 'pending' }));
  const pending = await runMessageShowing(workspace, '  ·  checks running');
  expect(buttons(pending.blocks)).toEqual(['View pull request', 'Details']);
  shows(offered, pullRequest('open', { checks: 'passing', review: 'required' }));
  const unread = await runMessageShowing(workspace, '  ·  review required');
  expect(textOf(unread.blocks)).not.toContain('"Merge"');
  shows(offered, pullRequest('open', { checks: 'passing', review: 'approved' }));
  const green = await runMessageShowing(workspace, '  ·  approved');
  expect(buttons(green.blocks)).toEqual(['Merge', 'View pull request', 'Details']);

  const alan = workspace.as('alan');
  await alan.clicks(at, 'pull-request:merge');
  const told = (person: typeof alan) =>
    textOf(workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo === person.person.id));
  await workspace.until(() => told(alan).includes(`Only <@${grace.person.id}>`));
  expect(api.posted).toEqual([]);
  await grace.clicks(at, 'pull-request:merge');
  await expect.poll(() => api.posted).toEqual([{ to: 'pull-request', body: { action: 'merge' } }]);
  expect(told(grace)).toContain('The run message shows the result');
  shows({ state: 'published' }, pullRequest('merged'));
  const merged = await runMessageShowing(workspace, '  ·  merged');
  expect(textOf(merged.blocks)).not.toContain('"Merge"');
});
