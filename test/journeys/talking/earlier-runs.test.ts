import { describe, expect, it } from 'vitest';
import {
  general,
  promptsSent,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;

const promptOf = ({ ada }: Product) => String(ada.modal()?.values['prompt']?.['value']?.['value']);

const onMessage = async ({ ada, workspace }: Product, ts: string) => {
  await ada.usesMessageShortcut('message-shortcut:run', { channelId: general, ts });
  return await workspace.until(() => ada.modal());
};

/** Creates a thread with a finished run and people's messages about it. */
async function threadWithRun(product: Product) {
  const { ada, grace, workspace } = product;
  const root = await ada.types(general, 'the login page is blank');
  const threadTs = root.message?.ts ?? '';
  const me = `<@${workspace.bot.userId}>`;
  await ada.types(general, `${me} title="Look into it" count`, { threadTs });
  const ended = await runMessageShowing(workspace, 'Succeeded');
  const [session = ''] = /http[^"]+\/session\/[\w-]+/.exec(textOf(ended.blocks)) ?? [];
  const token = session.split('/').at(-1) ?? '';
  expect(token).toHaveLength(43);
  const pasted = await grace.types(general, `see ${session}`, { threadTs });
  await workspace.settled();
  return { ended, token, pasted: pasted.message?.ts ?? '' };
}

describe('a thread with an earlier run that is sent to an agent', () => {
  it('has one line for the run, without links, buttons and IDs, and masks a session link that someone pasted', async () => {
    const product = await startedProduct();
    const { ada, workspace } = product;
    const { token, pasted } = await threadWithRun(product);
    await onMessage(product, pasted);
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
    expect(promptOf(product)).toMatch(/^see http\S+\/session\/\[masked secret 1\]/);
    expect(promptOf(product)).not.toContain('Look into it');
    await ada.submits({ context: ['thread'] });
    await runMessageShowing(workspace, 'Succeeded: see http');
    const [sent = ''] = await promptsSent(product);
    expect(sent).toContain('> the login page is blank');
    // The agent's answer is its prompt. The service shows only the end of it.
    expect(sent.match(/^> Earlier run: .*/gm)).toEqual([
      expect.stringMatching(/^> Earlier run: Look into it, Succeeded, .*login page is blank$/),
    ]);
    expect(sent).not.toContain(token);
    expect(sent).not.toMatch(/Open session|#details|Ran for|✅/);
  });

  it('is that line alone when the message itself is the run', async () => {
    const product = await startedProduct();
    const { ended } = await threadWithRun(product);
    await onMessage(product, ended.ts);
    expect(promptOf(product)).toMatch(/^Earlier run: Look into it, Succeeded, .*$/);
  });
});
