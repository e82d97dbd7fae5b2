import { expect, it } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const pullRequest = (state: string, more: object = {}) => ({
  artifacts: [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/shop/pull/12', number: 12, state, ...more },
    },
  ],
});
const answer = { status_message: { message: 'I fixed the **login**.' } };

/** Grace's run, which has ended with changes that nobody has published. Ada is an admin. */
async function changed({ replicas = 1 } = {}) {
  const product = await startProduct();
  const api = await startApiStub();
  const shows = (publication: object, more: object = {}) =>
    api.answers('SUCCEEDED', { ...answer, ...more, publication });
  shows({ state: 'offered' });
  const shared = {
    runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' },
    ...(replicas > 1 && { databaseUrl: await createPostgresDatabase() }),
  };
  for (let count = 0; count < replicas; count += 1) await product.startBot(shared);
  const { workspace, grace } = product;
  await grace.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Create pull request');
  const at = { channelId: general, messageTs: message.ts };
  const opens = async (person: typeof grace, actionId: string, words: string) => {
    await person.clicks(at, actionId);
    return workspace.until(() => {
      const view = person.modal();
      return textOf(view?.content).includes(words) ? view : undefined;
    });
  };
  return { ...product, api, shared, shows, message, at, opens };
}

it('Create pull request asks for what matters, and the message shows how it goes', async () => {
  const { workspace, grace, api, shows, opens } = await changed();
  const view = await opens(grace, 'pull-request:create', 'Reviewers');
  expect(textOf(view?.content)).toContain('I fixed the **login**.');
  shows({ state: 'publishing' });
  const values = { title: 'Fix it', reviewers: '@ada, grace', draft: 'draft', base: 'next' };
  expect(await grace.submits(values)).toEqual({});
  await runMessageShowing(workspace, 'Creating the pull request');
  await expect.poll(() => api.posted.length).toBeGreaterThan(0);
  expect(api.posted).toEqual([
    {
      to: 'publish',
      body: {
        title: 'Fix it',
        body: 'I fixed the **login**.',
        base: 'next',
        draft: true,
        reviewers: ['ada', 'grace'],
      },
    },
  ]);
  shows({ state: 'published' }, pullRequest('open', { checks: 'pending' }));
  const shown = await runMessageShowing(workspace, '  ·  open  ·  checks running');
  expect(textOf(shown.blocks)).toContain('"Open pull request"');
  shows({ state: 'published' }, pullRequest('merged'));
  await runMessageShowing(workspace, '  ·  merged');
  const ends = workspace.messagesIn(general).filter(({ text }) => text.includes(': succeeded'));
  expect(ends).toHaveLength(1);
});

it('two people on two replicas create one pull request, even if the answer is lost', async () => {
  const { workspace, ada, grace, api, shows, opens } = await changed({ replicas: 2 });
  await opens(ada, 'pull-request:create', 'Reviewers');
  await opens(grace, 'pull-request:create', 'Reviewers');
  api.answersPosts(0);
  shows({ state: 'offered' });
  const answers = await Promise.all([ada.submits({ title: 'A' }), grace.submits({ title: 'B' })]);
  expect(answers.map((each) => textOf(each)).filter((text) => text !== '{}')).toEqual([
    expect.stringContaining('Someone already asked for this.'),
  ]);
  await expect.poll(() => api.posted.length).toBeGreaterThan(0);
  shows({ state: 'published' }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  expect(api.posted).toHaveLength(1);
});

it('a refusal is shown with its reason, and can be tried again', async () => {
  const { workspace, grace, api, shows, opens } = await changed();
  api.answersPosts(422, 200);
  await opens(grace, 'pull-request:create', 'Reviewers');
  await grace.submits();
  const refused = await runMessageShowing(workspace, 'The branch is protected.');
  expect(textOf(refused.blocks)).toContain('"Try again"');
  await opens(grace, 'pull-request:create', 'Reviewers');
  shows({ state: 'failed', message: 'The base branch is gone.' });
  await grace.submits();
  await runMessageShowing(workspace, 'The base branch is gone.');
  expect(api.posted).toHaveLength(2);
});

it('is for those who may cancel the run', async () => {
  const { workspace, grace, at, api } = await changed();
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
});

it('the pull request can be marked as ready and merged from the details', async () => {
  const { workspace, grace, api, shows, opens, at } = await changed();
  shows({ state: 'published', actions: ['mark_ready', 'dance'] }, pullRequest('draft'));
  await runMessageShowing(workspace, '  ·  draft');
  const details = await opens(grace, 'run:details', 'Mark ready');
  expect(textOf(details?.content)).not.toMatch(/"Merge"|dance/);
  if (!details) throw new Error('no details');
  await grace.clicks({ view: details }, 'pull-request:mark-ready');
  await workspace.until(() => textOf(grace.modal()?.content).includes('On it.'));
  shows({ state: 'published', actions: ['merge'] }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  await grace.closesModal();
  const merging = await opens(grace, 'run:details', '"Merge"');
  if (!merging) throw new Error('no details');
  await grace.clicks({ view: merging }, 'pull-request:merge');
  shows({ state: 'published' }, pullRequest('merged'));
  await runMessageShowing(workspace, '  ·  merged');
  expect(api.posted).toEqual([
    { to: 'pull-request', body: { action: 'mark_ready' } },
    { to: 'pull-request', body: { action: 'merge' } },
  ]);
  expect(runMessageIn(workspace)?.ts).toBe(at.messageTs);
});

it('the details below an answer show what was asked for, and offer it no longer', async () => {
  const { workspace, grace, api, shows, opens } = await changed();
  shows({ state: 'published', actions: ['merge'] }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  const noAnswer = -1;
  api.answersPosts(noAnswer);
  const details = await opens(grace, 'run:details', '"Merge"');
  if (!details) throw new Error('no details');
  await grace.clicks({ view: details }, 'pull-request:merge');
  await workspace.until(() => textOf(grace.modal()?.content).includes('On it.'));
  await grace.closesModal();
  await workspace.until(() => textOf(grace.modal()?.content).includes('Merging the pull request'));
  expect(grace.modal()?.id).toBe(details.id);
  expect(textOf(grace.modal()?.content)).not.toContain('"Merge"');
});

it('the same click twice merges once, and no one hears that it was impossible', async () => {
  const { workspace, grace, api, shows, opens } = await changed();
  shows({ state: 'published', actions: ['merge'] }, pullRequest('open'));
  await runMessageShowing(workspace, '  ·  open');
  const noAnswer = -1;
  api.answersPosts(noAnswer);
  const view = await opens(grace, 'run:details', '"Merge"');
  if (!view) throw new Error('no details');
  const clicks = [1, 2].map(() => grace.clicks({ view }, 'pull-request:merge'));
  await Promise.all(clicks);
  await workspace.until(() => textOf(grace.modal()?.content).includes('On it.'));
  await expect.poll(() => api.posted.length).toBeGreaterThan(0);
  await workspace.settled();
  const shown = workspace.traffic.recent().filter(({ name }) => name.startsWith('views.'));
  expect(textOf(shown)).not.toMatch(/isn't possible|already asked/);
  expect(api.posted).toHaveLength(1);
});
