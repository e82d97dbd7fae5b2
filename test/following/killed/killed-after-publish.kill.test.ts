import { expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import { startKillableBot } from '../../support/product/killable-bot.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';

const pullRequest = {
  artifacts: [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/shop/pull/12', number: 12, state: 'open' },
    },
  ],
};

it('a bot that is killed while it creates a pull request creates no second one after its restart', async () => {
  const api = await startApiStub();
  api.answers('SUCCEEDED', { publication: { state: 'offered' } });
  const { workspace, start } = await startKillableBot({ runsApiUrl: api.baseUrl });
  const first = await start();
  const ada = workspace.as('ada');
  await ada.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Create pull request');
  await ada.clicks({ channelId: general, messageTs: message.ts }, 'pull-request:create');
  await workspace.until(() => textOf(ada.modal()?.content).includes('Reviewers'));
  api.answersPosts(-1);
  await ada.submits();
  await expect.poll(() => api.posted.length).toBe(1);
  await first.kill();
  api.answers('SUCCEEDED', { publication: { state: 'published' }, ...pullRequest });
  await start();
  const shown = await runMessageShowing(workspace, '  ·  open');
  expect(shown.ts).toBe(message.ts);
  expect(api.posted).toHaveLength(1);
});
