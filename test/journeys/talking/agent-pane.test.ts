import { describe, expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  held,
  runMessageShowing,
  startedProduct,
  type startProduct,
  textOf,
} from '../../support/product/product.ts';

const method = 'assistant.threads.setSuggestedPrompts';
const random = 'C04RANDOM01';

type Product = Awaited<ReturnType<typeof startProduct>>;

const suggestedIn = ({ workspace }: Product) =>
  workspace.traffic
    .recent()
    .filter(({ name }) => name === method)
    .map(({ request }) => textOf(request));

describe("the app's messages", () => {
  it('suggest what the person ran before, and their presets, to those who can start runs there', async () => {
    const product = await startedProduct();
    const { workspace, ada, grace } = product;
    await ada.types(general, '/agent run count the files');
    await runMessageShowing(workspace, 'Succeeded');
    await ada.types(general, '/agent model=small');
    await workspace.until(() => ada.modal());
    await ada.submits({ prompt: 'list them', save_as: 'Nightly', save_for: { value: 'person' } });
    await runMessageShowing(workspace, 'list them');
    await runMessageShowing(workspace, 'Succeeded');
    await ada.opensMessages();
    await expect.poll(() => suggestedIn(product)).toHaveLength(1);
    const [suggested] = suggestedIn(product);
    for (const words of ['count the files', 'list them', 'Nightly']) {
      expect(suggested).toContain(words);
    }
    await grace.opensMessages();
    await workspace.as('Sam Guest').opensMessages();
    await addsRule(product, ada, { name: 'In channels', conversations: ['direct'], start: 'no' });
    await ada.opensMessages();
    await workspace.settled();
    expect(suggestedIn(product)).toHaveLength(1);
  });

  it('open the form for a suggested preset, with the channel in view', async () => {
    const product = await startedProduct();
    const { workspace, ada } = product;
    const direct = ada.directChannelId;
    await ada.opensMessages({ inView: random });
    const { message } = await ada.types(direct, 'env=none title="Look here"', { inView: random });
    const asked = await workspace.until(() =>
      ada.sees(direct).find(({ threadTs }) => threadTs === message?.ts),
    );
    expect(textOf(asked)).toContain(`<#${random}>`);
    await ada.clicks({ channelId: direct, messageTs: asked.ts }, 'mention:fill-in-form');
    await workspace.until(() => ada.modal());
    expect(textOf(held(ada, 'channel'))).toContain(random);
    expect(textOf(held(ada, 'title'))).toContain('Look here');
    expect(textOf(held(ada, 'environment_id'))).toContain('none');
  });
});
