import { expect, it } from 'vitest';
import { homeOf, openHome, startElsewhere } from '../../support/product/home.ts';
import { startProduct, textOf } from '../../support/product/product.ts';

it("the Home tab of someone without runs explains three ways to start one and leads to everyone's runs, but lists nothing for guests", async () => {
  const { service, workspace, until, clicks, text } = await openHome();
  await until('*1. Type a command.*');
  expect(text()).toMatch(/\*2\. Mention the app\.\*.*\*3\. Start from a message\.\*/s);
  await startElsewhere(service.apiUrl, ['By someone']);
  await clicks('home:everyone');
  await until('By someone');
  const guest = await homeOf({ workspace }, 'Sam Guest');
  await guest.until("Guests can't see");
  const guestId = workspace.as('Sam Guest').person.id;
  const published = () =>
    workspace.traffic.recent().filter(({ request }) => Object(request).user_id === guestId);
  await workspace.until(() => textOf(published()).includes("Guests can't see"));
  expect(textOf(published())).not.toMatch(/By someone|home:creator|New run/);
});

it('the Home tab says that it can’t tell who someone is, and shows runs once it can', async () => {
  const product = await startProduct();
  product.workspace.faults.inject({ name: 'server_error', method: 'users.info', times: 10_000 });
  await product.startBot();
  const { until, clicks, text } = await homeOf(product, 'ada');
  await until("Slack can't say who you are");
  expect(text()).not.toContain('New run');
  product.workspace.faults.clear();
  await clicks('home:refresh');
  await until('*1. Type a command.*');
  await until('New run');
});
