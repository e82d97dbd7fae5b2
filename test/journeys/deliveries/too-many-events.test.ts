import { expect, it, onTestFinished } from 'vitest';
import { createBot } from '../../../src/bot.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { startProduct } from '../../support/product/product.ts';

it('news of too many events is acknowledged and logged once as a warning, and the app goes on', async () => {
  const { workspace, ada, config } = await startProduct();
  const lines: { level: number; msg: string }[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const bot = createBot(config, logger);
  await bot.start();
  onTestFinished(() => bot.stop());

  await workspace.faults.inject({ name: 'app_rate_limited' });

  const deliveries = workspace.traffic.recent().filter(({ direction }) => direction === 'delivery');
  expect(deliveries).toMatchObject([{ name: 'events_api', answer: { acked: true } }]);
  const told = lines.filter(({ msg }) => msg.includes('Slack dropped events'));
  expect(told).toMatchObject([{ level: 40 }]);
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
  await ada.usesGlobalShortcut('global-shortcut:run');
  await workspace.until(() => ada.modal());
});
