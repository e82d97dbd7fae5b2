import { describe, expect, it } from 'vitest';
import { general, picked, runMessageShowing, startProduct, textOf } from '../support/product.ts';

async function endedRun() {
  const product = await startProduct();
  await product.startBot();
  const { ada, workspace } = product;
  await ada.types(general, '/agent run env=shell model=small title="The first" count them');
  const ended = await runMessageShowing(workspace, 'Succeeded');
  return { ...product, place: { channelId: general, messageTs: ended.ts } };
}

describe('Run again', () => {
  it('starts the same once more for whoever clicks, once for a double click', async () => {
    const { grace, workspace, place } = await endedRun();
    await Promise.all([grace.clicks(place, 'run:again'), grace.clicks(place, 'run:again')]);
    const again = await workspace.until(
      () =>
        workspace
          .messagesIn(general)
          .find((each) => /Succeeded.*again of an earlier run/.test(textOf(each.blocks))),
      { timeoutMs: 10_000 },
    );
    expect(textOf(again)).toContain(`By <@${grace.person.id}>`);
    expect(textOf(again)).toContain('nothing changed');
    expect(textOf(again)).toMatch(/Model \*small\*/);
    await workspace.settled();
    const runs = workspace
      .messagesIn(general)
      .filter(({ metadata }) => textOf(metadata).includes('slash_agent_run'));
    expect(runs.filter(({ threadTs }) => !threadTs)).toHaveLength(2);
  });

  it('with changes opens the form with everything in it, and says what was changed', async () => {
    const { ada, workspace, place } = await endedRun();
    await ada.clicks(place, 'run:again-with-changes');
    const modal = await workspace.until(() => ada.modal());
    expect(textOf(modal.values)).toMatch(/count them.*small/s);
    await ada.submits({ model_id: picked('large') });
    await runMessageShowing(workspace, 'model changed from small to large');
  });

  it('adds no default that the earlier run did not have', async () => {
    const { ada, workspace, place } = await endedRun();
    await ada.types(general, '/agent settings');
    await workspace.until(() => ada.modal());
    await ada.submits({ 'person:name': 'my-name' });
    await ada.clicks(place, 'run:again-with-changes');
    await workspace.until(() => textOf(ada.modal()?.values).includes('count them'));
    expect(textOf(ada.modal()?.values)).not.toContain('my-name');
    await ada.closesModal();
  });
});
