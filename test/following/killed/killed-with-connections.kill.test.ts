import { expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
} from '../../../packages/runs-service/test/support/runs-service.ts';
import {
  addsConnection,
  modalShowing,
  opensConnections,
} from '../../support/product/connecting.ts';
import { createKeyedService } from '../../support/product/keyed-service.ts';
import { startKillableBot } from '../../support/product/killable-bot.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';

it('a bot that is killed between the click and the call cancels the run on its own connection', async () => {
  const environments = [shellEnvironment('exec sleep 600', { default: true })];
  const { service } = await startRunsService({ environments });
  const second = await createKeyedService('second');
  const variables = { CONNECTION_HOSTS: '127.0.0.1' };
  const bot = await startKillableBot({ runsApiUrl: service.apiUrl, variables });
  const { workspace } = bot;
  const first = await bot.start();
  const ada = workspace.as('ada');
  await opensConnections(bot, ada, general);
  const { url, adminKey: key } = second;
  await addsConnection(bot, ada, { name: 'second', url, key });
  await modalShowing(bot, ada, 'is added');
  await ada.closesModal({ all: true });
  await ada.types(general, '/agent run connection=default wait here');
  const here = await runMessageShowing(workspace, 'In progress');
  await ada.types(general, '/agent run wait there');
  const there = await workspace.until(() =>
    workspace
      .messagesIn(general)
      .find((each) => textOf(each).includes('wait there') && textOf(each).includes('In progress')),
  );
  second.answer((path) =>
    path.endsWith('/cancel') ? { status: 503, body: { title: 'Being restarted' } } : undefined,
  );
  await ada.clicks({ channelId: general, messageTs: there.ts }, 'run:cancel');
  await runMessageShowing(workspace, 'Canceling');
  await first.kill();
  second.pass();
  await bot.start();
  const ended = await runMessageShowing(workspace, `*Canceled* by <@${ada.person.id}>`);
  expect(ended.ts).toBe(there.ts);
  expect(await second.runs()).toMatchObject([{ prompt: 'wait there', state: 'CANCELLED' }]);
  const other = workspace.messagesIn(general).find(({ ts }) => ts === here.ts);
  expect(textOf(other)).toContain('In progress');
});
