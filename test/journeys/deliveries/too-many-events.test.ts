import { expect, it } from 'vitest';
import { createLineLogger, startProduct } from '../../support/product/product.ts';

it('news of too many events is acknowledged and logged once as a warning, and the app goes on', async () => {
  const { workspace, ada, startBot } = await startProduct();
  const { logger, lines } = createLineLogger();
  await startBot({}, logger);

  await workspace.faults.inject({ name: 'app_rate_limited' });

  const deliveries = workspace.traffic.recent().filter(({ direction }) => direction === 'delivery');
  expect(deliveries).toMatchObject([{ name: 'events_api', answer: { acked: true } }]);
  const told = lines.filter(({ msg }) => msg.includes('Slack dropped events'));
  expect(told).toMatchObject([{ level: 40 }]);
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
  await ada.usesGlobalShortcut('global-shortcut:run');
  await workspace.until(() => ada.modal());
});
