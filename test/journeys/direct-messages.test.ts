import { describe, expect, it } from 'vitest';
import {
  promptsSent,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../support/product.ts';

async function startedProduct() {
  const product = await startProduct();
  await product.startBot();
  const { ada, workspace } = product;
  const channelId = ada.directChannelId;
  return {
    ...product,
    channelId,
    isTold: (words: string) =>
      workspace.until(() => {
        const alone = ada.sees(channelId).filter(({ visibleTo }) => visibleTo !== undefined);
        return textOf(alone).includes(words);
      }),
  };
}

describe('writing to the app directly', () => {
  it('starts a run without any mention', async () => {
    const { ada, workspace, channelId } = await startedProduct();
    await ada.types(channelId, 'count the files for me');
    const ended = await runMessageShowing(workspace, 'Succeeded', channelId);
    expect(textOf(ended)).toContain('count the files for me');
  });

  it('starts nothing for a file alone: the words that follow in its thread start it with the file', async () => {
    const product = await startedProduct();
    const { ada, workspace, channelId, isTold } = product;
    const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
    const { message } = await ada.types(channelId, '', { files });
    await isTold('What shall the agent do with it?');
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
    await ada.types(channelId, 'say what went wrong', { threadTs: message?.ts ?? '' });
    await runMessageShowing(workspace, 'Succeeded', channelId);
    const [sent] = await promptsSent(product);
    expect(sent).toMatch(/^say what went wrong\n/);
    expect(sent).toContain('> File: server.log https://files.example/F1');
  });

  it.each(['help', 'Help!', '/agent help'])('%j is answered as the command is', async (words) => {
    const { ada, workspace, channelId, isTold } = await startedProduct();
    await ada.types(channelId, ` ${words}`);
    await isTold('all runs are in my Home tab');
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
  });
});
