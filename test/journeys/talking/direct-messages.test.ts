import { expect, it } from 'vitest';
import {
  promptsSent,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';

it('a direct message to the app starts a run without a mention, gets help, or is asked what to do with a file', async () => {
  const product = await startedProduct();
  const { ada, workspace } = product;
  const channelId = ada.directChannelId;
  const told = () => ada.sees(channelId).filter(({ visibleTo }) => visibleTo !== undefined);
  for (const [index, words] of ['help', 'Help!', '/agent help'].entries()) {
    await ada.types(channelId, ` ${words}`);
    await workspace.until(() => told().length > index);
    expect(textOf(told().at(-1)), words).toContain('*Find runs*');
  }
  const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
  const { message } = await ada.types(channelId, '', { files });
  await workspace.until(() => textOf(told()).includes('What should the agent do with this file?'));
  expect(runMessageIn(workspace, channelId)).toBeUndefined();

  await ada.types(channelId, 'say what went wrong', { threadTs: message?.ts ?? '' });
  await runMessageShowing(workspace, 'Succeeded', channelId);
  const [sent] = await promptsSent(product);
  expect(sent).toMatch(/^say what went wrong\n/);
  expect(sent).toContain('> File: server.log https://files.example/F1');

  await ada.types(channelId, 'count the files for me');
  const ended = await runMessageShowing(workspace, 'Succeeded: count the files for me', channelId);
  expect(textOf(ended)).toContain('run:details');
  expect(textOf(ended)).not.toContain('Show in channel');
});
