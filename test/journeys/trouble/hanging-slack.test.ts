import { expect, it } from 'vitest';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

/** Slack gives an app three seconds. The calls that hang here take a minute, and are given up after six seconds. */
const soonMs = 6_000;

async function hangingProduct() {
  const product = await startedProduct();
  const { workspace } = product;
  const hang = async () => {
    for (const method of ['users.info', 'conversations.info', 'chat.getPermalink'])
      await workspace.faults.inject({ name: 'answer_delayed', method, times: 50, delayMs: 60_000 });
  };
  const deliveries = () =>
    workspace.traffic.recent().filter(({ direction }) => direction === 'delivery');
  /** The delivery of this kind that was answered last was answered before the calls that hang were given up. */
  const expectSoon = (kind: string) =>
    expect(deliveries().findLast(({ name }) => name === kind)?.durationMs).toBeLessThan(soonMs);
  return { ...product, alan: workspace.as('alan'), hang, expectSoon };
}

it('while Slack hangs, deliveries are acknowledged; what needs an answer starts nothing, or starts later', async () => {
  const product = await hangingProduct();
  const { workspace, ada, grace, alan, hang, expectSoon } = product;
  await hang();
  await opensModal(product, ada, '/agent count');
  const { errors } = await ada.submits();
  expectSoon('interactive');
  expect(textOf(errors)).toContain("Slack didn't say who you are, so nothing was started");
  workspace.faults.clear();
  expect(await ada.submits()).toEqual({});
  await runMessageShowing(workspace, 'Succeeded');

  await hang();
  await grace.types(general, '/agent run title="By Grace" count');
  expectSoon('slash_commands');
  expect(textOf(runMessageIn(workspace))).not.toContain('By Grace');
  workspace.faults.clear();
  await runMessageShowing(workspace, 'By Grace');

  await hang();
  const inputs = { prompt: 'count', channel: general, person: alan.person.id };
  const step = await workspace.runsWorkflowStep('run_agent', inputs);
  expectSoon('events_api');
  workspace.faults.clear();
  await workspace.until(() => step.status === 'succeeded');
});

it('while Slack hangs, people are told that nothing was started or changed', async () => {
  const product = await hangingProduct();
  const { workspace, ada, alan, hang, expectSoon } = product;
  const view = await opensModal(product, ada, '/agent settings');
  await ada.clicks({ view }, 'settings:scope:channel');
  await workspace.until(() => textOf(ada.modal()?.content).includes('channel:model_id'));
  await hang();
  const { errors } = await ada.submits({ 'channel:name': 'nightly' });
  expectSoon('interactive');
  expect(textOf(errors)).toContain('so nothing was changed');

  await alan.types(general, '/agent run count');
  await workspace.until(() => textOf(alan.sees(general)).includes('so nothing was started'));
  expect(runMessageIn(workspace)).toBeUndefined();
});
