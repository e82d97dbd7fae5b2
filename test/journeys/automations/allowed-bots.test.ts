import { expect, it } from 'vitest';
import {
  decided,
  startAutomatedProduct,
  storeAutomation,
} from '../../support/product/automations.ts';
import { clicksTo } from '../../support/product/policy.ts';
import { opensModal, runMessageShowing, textOf } from '../../support/product/product.ts';

const alerts = 'C04ALERTS01';
const botId = 'B04ALERTBOT';

it('lets admins allow a bot by a link to its message, and remove it at once', async () => {
  const product = await startAutomatedProduct();
  const { workspace, ada, grace } = product;
  const bot = workspace.as('Alertmanager');
  const trigger = { kind: 'message', text: '', people: [], bots: [botId], onlyBots: true } as const;
  const people: string[] = [];
  const changed = { ...trigger, people, bots: [botId] };
  await storeAutomation(product, { name: 'Alerts', channelId: alerts, trigger: changed });
  await bot.posts(alerts, { text: 'first alert' });
  expect(await decided(product, 1)).toEqual([expect.stringMatching(/^skipped: .*Allowed bots/)]);

  await opensModal(product, grace, '/agent automations');
  await workspace.until(() => textOf(grace.modal()?.content).includes('New automation'));
  expect(textOf(grace.modal()?.content)).not.toContain('automations:bots');
  await opensModal(product, ada, '/agent automations');
  await workspace.until(() => textOf(ada.modal()?.content).includes('automations:bots'));
  await clicksTo(product, ada, 'automations:bots', 'No bots yet');
  const rejected = await ada.submits({ 'bot:0': 'Alertmanager' });
  expect(textOf(rejected.errors)).toContain('Paste a link');
  const own = await ada.submits({ 'bot:0': workspace.bot.botId });
  expect(textOf(own.errors)).toContain('own messages');
  const { ts = '' } = workspace.messagesIn(alerts).findLast((each) => each.botId === botId) ?? {};
  const link = `https://acme.slack.com/archives/${alerts}/p${ts.replace('.', '')}`;
  await ada.submits({ 'bot:0': link });
  await workspace.until(() => textOf(ada.modal()?.content).includes(botId));

  await bot.posts(alerts, { text: 'second alert' });
  const ended = await runMessageShowing(workspace, 'Succeeded', alerts);
  expect((await decided(product, 2)).at(-1)).toBe('started');
  const thread = workspace.messagesIn(alerts, { thread: ended.threadTs ?? '' });
  expect(textOf(thread)).toContain('second alert');
  // The owner isn't mentioned in a new message, because it isn't their turn.
  const replies = thread.filter((each) => each.botId === workspace.bot.botId);
  expect(replies.map((each) => each.ts)).toEqual([ended.ts]);

  await clicksTo(product, ada, 'automations:remove-bot', 'No bots yet', botId);
  await bot.posts(alerts, { text: 'third alert' });
  expect((await decided(product, 3)).at(-1)).toMatch(/^skipped/);
});
