import { expect, it } from 'vitest';
import { describeOverBoth } from '../../support/product/delivery.ts';
import {
  general,
  opensModal,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { impatientMs } from '../../support/product/waits.ts';

/** The app gives up a call that hangs after a while. */
const slackCallTimeoutMs = 6_000;

async function hangingProduct() {
  const product = await startProduct();
  const { workspace, startBot } = product;
  const bot = await startBot();
  /** By default, calls hang until the test releases them, longer than Slack waits for an acknowledgement. */
  const hang = async (waits: { slackCallTimeoutMs?: number } = {}) => {
    await bot.stop();
    await startBot({}, undefined, { ackWaitMs: impatientMs, ...waits });
    for (const method of ['users.info', 'conversations.info', 'chat.getPermalink']) {
      await workspace.faults.inject({ name: 'answer_delayed', method, times: 50, delayMs: 60_000 });
    }
  };
  /** The answer to the last delivery of this kind. */
  const lastAnswer = (kind: string) =>
    workspace.traffic
      .recent()
      .findLast(({ direction, name }) => direction === 'delivery' && name === kind)?.answer;
  return { ...product, hang, lastAnswer };
}

describeOverBoth('while users.info and conversations.info hang', () => {
  it('a form is acknowledged in time, starts nothing, and works once Slack answers', async () => {
    const product = await hangingProduct();
    const { workspace, ada, hang, lastAnswer } = product;
    await hang();
    await opensModal(product, ada, '/agent count');
    const { errors } = await ada.submits();
    expect(textOf(errors)).toContain("Slack didn't say who you are, so nothing was started");
    expect(lastAnswer('interactive')).toMatchObject({ acked: true });
    workspace.faults.clear();
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
  });

  it('a run started at once is acknowledged in time, and the answer comes later', async () => {
    const { workspace, ada, hang, lastAnswer } = await hangingProduct();
    await hang();
    await ada.types(general, '/agent run count');
    expect(lastAnswer('slash_commands')).toMatchObject({ acked: true });
    expect(runMessageIn(workspace)).toBeUndefined();
    workspace.faults.clear();
    await runMessageShowing(workspace, 'Succeeded');
  });

  it('a run that nobody may be said to start is told so privately', async () => {
    const { workspace, ada, hang } = await hangingProduct();
    await hang({ slackCallTimeoutMs });
    await ada.types(general, '/agent run count');
    await workspace.until(() => textOf(ada.sees(general)).includes('so nothing was started'));
    expect(runMessageIn(workspace)).toBeUndefined();
  });

  it('settings of a channel are not saved, and the person is told in time', async () => {
    const product = await hangingProduct();
    const { workspace, ada, hang, lastAnswer } = product;
    const view = await opensModal(product, ada, '/agent settings');
    await ada.clicks({ view }, 'settings:scope:channel');
    await workspace.until(() => textOf(ada.modal()?.content).includes('channel:model_id'));
    await hang();
    const { errors } = await ada.submits({ 'channel:name': 'nightly' });
    expect(textOf(errors)).toContain('so nothing was changed');
    expect(lastAnswer('interactive')).toMatchObject({ acked: true });
  });

  it('a step of a workflow is acknowledged in time, and its run starts later', async () => {
    const { workspace, hang, lastAnswer } = await hangingProduct();
    await hang();
    const inputs = { prompt: 'count', channel: general, person: 'U04ADALOVEL' };
    const step = await workspace.runsWorkflowStep('run_agent', inputs);
    expect(lastAnswer('events_api')).toMatchObject({ acked: true });
    workspace.faults.clear();
    await workspace.until(() => step.status === 'succeeded');
  });
});
