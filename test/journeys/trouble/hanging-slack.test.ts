import { expect, it } from 'vitest';
import { allowsWorkflows } from '../../support/product/policy.ts';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { opensSettings } from '../../support/product/settings.ts';
import { impatientMs } from '../../support/product/waits.ts';

/** Time after which the app gives up a call, in ms. */
const slackCallTimeoutMs = 6_000;

async function hangingProduct() {
  const product = await startProduct();
  const { workspace, startBot } = product;
  let bot = await startBot();
  /** Makes calls hang until the test releases them, longer than Slack waits for an acknowledgement. */
  const hang = async (waits: { slackCallTimeoutMs?: number } = {}) => {
    await bot.stop();
    bot = await startBot({}, undefined, { ackWaitMs: impatientMs, ...waits });
    for (const method of ['users.info', 'conversations.info', 'chat.getPermalink'])
      await workspace.faults.inject({ name: 'answer_delayed', method, times: 50, delayMs: 60_000 });
  };
  const release = async () => {
    workspace.faults.clear();
    await bot.stop();
    bot = await startBot();
  };
  const expectAcknowledged = (kind: string) => {
    const deliveries = workspace.traffic.recent().filter((each) => each.direction === 'delivery');
    const last = deliveries.findLast(({ name }) => name === kind);
    expect(last?.answer).toMatchObject({ acked: true });
  };
  return { ...product, alan: workspace.as('alan'), hang, release, expectAcknowledged };
}

it('while Slack hangs, deliveries are acknowledged; what needs an answer starts nothing, or starts later', async () => {
  const product = await hangingProduct();
  const { workspace, ada, grace, alan, hang, release, expectAcknowledged } = product;
  await hang();
  await opensModal(product, ada, '/agent count');
  const { errors } = await ada.submits();
  expectAcknowledged('interactive');
  expect(textOf(errors)).toContain("Slack can't say who you are right now, so nothing was started");
  await release();
  expect(await ada.submits()).toEqual({});
  await runMessageShowing(workspace, 'Succeeded');
  await allowsWorkflows(product);

  await hang();
  await grace.types(general, '/agent run title="By Grace" count');
  expectAcknowledged('slash_commands');
  expect(textOf(runMessageIn(workspace))).not.toContain('By Grace');
  await release();
  await runMessageShowing(workspace, 'By Grace');

  await hang();
  const inputs = { prompt: 'count', channel: general, person: alan.person.id };
  const step = await workspace.runsWorkflowStep('run_agent', inputs);
  expectAcknowledged('events_api');
  await release();
  await workspace.until(() => step.status === 'succeeded');
});

it('while Slack hangs, people are told that nothing was started or changed', async () => {
  const product = await hangingProduct();
  const { workspace, ada, alan, hang, expectAcknowledged } = product;
  await opensSettings(product, ada, 'channel:defaults');
  await hang({ slackCallTimeoutMs });
  const { errors } = await ada.submits({ 'channel:name': 'nightly' });
  expectAcknowledged('interactive');
  expect(textOf(errors)).toContain('so nothing was changed');

  await alan.types(general, '/agent run count');
  await workspace.until(() => textOf(alan.sees(general)).includes('so nothing was started'));
  expect(runMessageIn(workspace)).toBeUndefined();
});
