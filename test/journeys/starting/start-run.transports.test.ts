import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

describe('starting a run with /agent', () => {
  it('goes from the command over the modal to one message that ends in Succeeded', async () => {
    const { workspace, startBot, ada } = await startProduct();
    await startBot();
    await ada.types(general, '/agent count the TODO comments');
    const modal = await workspace.until(() => ada.modal());
    expect(textOf(modal.content)).toContain('count the TODO comments');
    expect(await ada.submits()).toEqual({});
    expect(ada.modal()).toBeUndefined();

    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(textOf(ended)).toContain('Open session');
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('shows what went wrong when the agent fails', async () => {
    const { workspace, startBot, ada } = await startProduct();
    await startBot();
    await ada.types(general, '/agent fail now');
    await workspace.until(() => ada.modal());
    await ada.submits();
    const failed = await runMessageShowing(workspace, 'Failed');
    expect(textOf(failed)).toContain('the tests do not pass');
  });
});
