import { describe, expect, it } from 'vitest';
import { homeOf } from '../../support/product/home.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
} from '../../support/product/product.ts';

const troubles = [
  ['a page of a proxy', { name: 'html_answer' }, 'Slack had a problem'],
  ['a 5xx', { name: 'server_error', times: 3 }, 'Slack had a problem'],
  ['429', { name: 'rate_limited', retryAfterSeconds: 30 }, 'Slack is busy'],
] as const;

describe('when Slack answers the opening of a form with', () => {
  it.each(troubles)('%s, the person is told so, and what they typed', async (_, fault, words) => {
    const { startBot, ada, workspace } = await startProduct();
    await startBot();
    await workspace.faults.inject({ ...fault, method: 'views.open' });
    await ada.types(general, '/agent count <the> TODO comments');
    const told = await workspace.until(() => ada.sees(general).at(-1)?.text);
    expect(told).toContain(words);
    expect(told).toContain('Nothing was started');
    expect(told).toContain('> /agent count &lt;the&gt; TODO comments');
    expect(told).not.toMatch(/went wrong|reference/);
    expect(runMessagesIn(workspace)).toEqual([]);
    // Done again, it works.
    await ada.types(general, '/agent count the TODO comments');
    await workspace.until(() => ada.modal());
  });
});

describe('when Slack has trouble with what a button opens', () => {
  it('a message says so, and does not claim that nothing has changed', async () => {
    const { startBot, ada, workspace } = await startProduct();
    await startBot();
    await ada.types(general, '/agent run count');
    const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
    await workspace.faults.inject({ name: 'html_answer', method: 'views.open' });
    await ada.clicks({ channelId: general, messageTs }, 'run:details');
    const told = await workspace.until(
      () => ada.sees(general).find(({ text }) => text.includes('Slack had a problem'))?.text,
    );
    expect(told).toContain('Check whether it worked');
    expect(told).not.toContain('Nothing was started');
  });

  it('in the Home tab, a direct message says so', async () => {
    const product = await startProduct();
    await product.startBot();
    const { workspace, ada } = product;
    const home = await homeOf(product, 'ada');
    await workspace.settled();
    await workspace.faults.inject({ name: 'html_answer', method: 'views.publish' });
    await home.clicks('home:creator', 'everyone');
    const direct = () => workspace.messagesIn(ada.directChannelId).at(-1)?.text;
    expect(await workspace.until(direct)).toContain('Slack had a problem');
  });
});
