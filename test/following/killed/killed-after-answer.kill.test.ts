import { expect, it } from 'vitest';
import { startApiStub } from '../../support/network/api-stub.ts';
import { startKillableBot } from '../../support/product/killable-bot.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';

const question = {
  id: 'q1',
  text: 'Allow "Run tests"?',
  takes_text: false,
  options: [{ id: 'yes', label: 'Allow once', kind: 'allow_once' }],
};

it('a bot that is killed while it answers an agent gives the same answer after its restart', async () => {
  const api = await startApiStub();
  api.answers('BLOCKED', { agent_progress: { question } });
  const { workspace, start } = await startKillableBot({ runsApiUrl: api.baseUrl });
  const first = await start();
  const ada = workspace.as('ada');
  await ada.types(general, '/agent run fix the login');
  const { ts } = await runMessageShowing(workspace, 'Needs input');
  const card = () =>
    workspace
      .messagesIn(general, { thread: ts })
      .find(({ threadTs, visibleTo }) => threadTs && !visibleTo);
  const { ts: messageTs } = await workspace.until(card);
  // The service accepts the first answer, but never responds.
  api.answersPosts(-1, 200);
  await ada.clicks({ channelId: general, messageTs }, 'question:option:0');
  await expect.poll(() => api.posted.length).toBe(1);
  await first.kill();
  api.answers('INPROGRESS');
  await start();
  await expect.poll(() => textOf(card())).toContain(`✅ Allowed once by <@${ada.person.id}>`);
  expect(api.posted).toHaveLength(2);
  expect(api.posted[1]).toEqual(api.posted[0]);
  expect(new Set(api.keys).size).toBe(1);
});
