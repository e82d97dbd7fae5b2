import { expect, it } from 'vitest';
import { homeOf } from '../../support/product/home.ts';
import {
  general,
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

it('when Slack opens no form, the person is told why, and what they typed', async () => {
  const product = await startedProduct();
  const { ada, workspace } = product;
  const method = 'views.open';
  const expired = (error: string) => ({ name: 'error_answer', error }) as const;
  for (const [fault, words] of [
    [{ name: 'html_answer' }, 'Slack had a problem'],
    [{ name: 'server_error', times: 3 }, 'Slack had a problem'],
    [{ name: 'rate_limited', retryAfterSeconds: 30 }, 'Slack is busy'],
    [expired('expired_trigger_id'), '3 seconds'],
    [expired('exchanged_trigger_id'), '3 seconds'],
  ] as const) {
    await workspace.faults.inject({ ...fault, method });
    const before = ada.sees(general).length;
    await ada.types(general, '/agent count <the> TODO comments');
    const told = textOf(await workspace.until(() => ada.sees(general)[before]));
    expect(told).toContain(words);
    expect(told).toContain('/agent count &lt;the&gt; TODO comments');
    expect(told).not.toMatch(/hit an error|reference/);
  }
  expect(runMessagesIn(workspace)).toEqual([]);
  // The same command works the next time.
  await opensModal(product, ada, '/agent count the TODO comments');
  await ada.closesModal();

  // The app can't post in this channel, so it sends a direct message.
  await workspace.faults.inject({ ...expired('expired_trigger_id'), method });
  const closed = { ...expired('channel_not_found'), method: 'chat.postEphemeral' };
  await workspace.faults.inject(closed);
  await ada.types(general, '/agent once more');
  const direct = await workspace.until(() => ada.sees(ada.directChannelId).at(-1));
  expect(textOf(direct)).toContain('/agent once more');
  expect(textOf(ada.sees(general))).not.toContain('once more');
});

it('when Slack has trouble with what a button opens, that is told without claiming that nothing has changed', async () => {
  const product = await startedProduct();
  const { ada, workspace } = product;
  await ada.types(general, '/agent run count');
  const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
  await workspace.faults.inject({ name: 'html_answer', method: 'views.open' });
  await ada.clicks({ channelId: general, messageTs }, 'run:details');
  const told = await workspace.until(
    () => ada.sees(general).find(({ text }) => text.includes('Slack had a problem'))?.text,
  );
  expect(told).toContain('Check whether it worked');
  expect(told).not.toContain('Nothing was started');

  const home = await homeOf(product, 'ada');
  await workspace.settled();
  await workspace.faults.inject({ name: 'html_answer', method: 'views.publish' });
  await home.clicks('home:creator', 'everyone');
  const direct = () => workspace.messagesIn(ada.directChannelId).at(-1)?.text;
  expect(await workspace.until(direct)).toContain('Slack had a problem');
});
