import { describe, expect, it } from 'vitest';
import {
  promptsSent,
  runMessageIn,
  runMessageShowing,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';

async function startedProduct() {
  const product = await startedBot();
  const { ada, workspace } = product;
  const channelId = ada.directChannelId;
  return {
    ...product,
    channelId,
    isTold: (words: string) =>
      workspace.until(() => {
        const privately = ada.sees(channelId).filter(({ visibleTo }) => visibleTo !== undefined);
        return textOf(privately).includes(words);
      }),
  };
}

describe('a direct message to the app', () => {
  it('starts a run without a mention', async () => {
    const { ada, workspace, channelId } = await startedProduct();
    await ada.types(channelId, 'count the files for me');
    const ended = await runMessageShowing(workspace, 'Succeeded', channelId);
    expect(textOf(ended)).toContain('count the files for me');
  });

  it('asks what to do with a file alone; the answer in its thread starts a run with the file', async () => {
    const product = await startedProduct();
    const { ada, workspace, channelId, isTold } = product;
    const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
    const { message } = await ada.types(channelId, '', { files });
    await isTold('What should the agent do with this file?');
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
    await ada.types(channelId, 'say what went wrong', { threadTs: message?.ts ?? '' });
    await runMessageShowing(workspace, 'Succeeded', channelId);
    const [sent] = await promptsSent(product);
    expect(sent).toMatch(/^say what went wrong\n/);
    expect(sent).toContain('> File: server.log https://files.example/F1');
  });

  it.each(['help', 'Help!', '/agent help'])('%j is answered like the command', async (words) => {
    const { ada, workspace, channelId, isTold } = await startedProduct();
    await ada.types(channelId, ` ${words}`);
    await isTold('The Home tab lists more runs');
    expect(runMessageIn(workspace, channelId)).toBeUndefined();
  });
});
