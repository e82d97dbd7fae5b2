import { expect, it } from 'vitest';
import { hostileTexts } from '../../hostile/hostile-texts.ts';
import { general, startProduct, textOf } from '../../support/product/product.ts';

/** Texts that each break Slack in another way. `test/hostile` tries all texts in all renderers. */
const chosen = ['mentions and links', '3,000 emoji', 'half of an emoji', 'control characters'];
/** Slack's client limits inputs to 3,000 characters. */
const prompts = hostileTexts
  .filter(([name]) => chosen.includes(name))
  .map(([, text]) => [...text].slice(0, 3000).join(''));

it('whatever people write, Slack rejects no call of ours and every run succeeds', async () => {
  const { workspace, startBot, ada } = await startProduct();
  await startBot();
  for (const prompt of prompts) {
    await ada.types(general, '/agent');
    await workspace.until(() => ada.modal());
    expect(await ada.submits({ prompt })).toEqual({});
  }
  const succeeded = () =>
    workspace
      .messagesIn(general)
      .filter(({ botId, blocks }) => botId && textOf(blocks).includes('*Succeeded*'));
  await workspace.until(() => succeeded().length === prompts.length);

  await ada.opensHome();
  await workspace.until(() => ada.home());
  // The person can submit a form before the app adds late data to it.
  const isClosedForm = (name: string, answer: string) =>
    name === 'views.update' && answer.includes('not_found');
  const rejected = workspace.traffic.recent().filter(({ direction, name, answer }) => {
    const text = textOf(answer);
    return direction === 'call' && !text.includes('"ok":true') && !isClosedForm(name, text);
  });
  expect(rejected).toEqual([]);
  const shown = workspace.messagesIn(general).map(({ text, blocks }) => textOf({ text, blocks }));
  const hidden = [...shown, textOf(ada.home()?.content)].filter((text) =>
    /[\u202a-\u202e\u2066-\u2069\u007f-\u009f]|\\u00[01][0-9a-f]/.test(text),
  );
  expect(hidden).toEqual([]);
});
