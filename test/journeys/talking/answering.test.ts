import { expect, it } from 'vitest';
import { startAskingProduct } from '../../support/product/asking.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';
import { letRepliesCount } from '../../support/product/replies.ts';

type Product = Awaited<ReturnType<typeof startAskingProduct>>;

/** Starts a run and waits for its question. */
async function asked({ workspace, grace }: Product, prompt: string, words: string) {
  await grace.types(general, `/agent run ${prompt}`);
  const { ts: threadTs } = await runMessageShowing(workspace, 'Needs input');
  const showing = (text: string) =>
    workspace.until(() =>
      workspace.messagesIn(general, { thread: threadTs }).find(({ ts, visibleTo, blocks }) => {
        return ts !== threadTs && !visibleTo && textOf(blocks).includes(text);
      }),
    );
  const card = await showing(words);
  return { threadTs, showing, at: { channelId: general, messageTs: card.ts, thread: threadTs } };
}

it('an agent of the embedded service asks before a command and in words, and continues with the answer, once', async () => {
  const product = await startAskingProduct();
  const { workspace, grace, ada } = product;
  const allow = await asked(product, 'ask before you delete README.md', 'rm README.md');
  await grace.clicks(allow.at, 'question:option:0');
  const answered = textOf(await allow.showing('✅'));
  expect(answered).toContain(`Allowed once by <@${grace.person.id}>`);
  expect(textOf(await runMessageShowing(workspace, 'Succeeded'))).toContain('Deleted README.md.');

  const reject = await asked(product, 'delete README.md', 'rm README.md');
  await grace.clicks(reject.at, 'question:option:1');
  await reject.showing('Denied by');
  const kept = await runMessageShowing(workspace, 'Kept README.md');
  // Only the last paragraph of the output is the answer.
  expect(textOf(kept)).not.toContain('This is the demo agent');

  await letRepliesCount(product, ada);
  const words = await asked(product, 'ask me: what is it called?', 'What is it called?');
  const { threadTs } = words;
  await ada.types(general, 'Not mine to say', { threadTs });
  await workspace.until(() =>
    ada.sees(general).some((each) => each.visibleTo && textOf(each).includes('can answer.')),
  );
  await grace.types(general, 'Fern', { threadTs });
  expect(textOf(await words.showing('✅'))).toContain('Fern');
  await runMessageShowing(workspace, 'You answered: Fern');
});
