import { describe, expect, it } from 'vitest';
import { general, runMessageShowing, startProduct } from '../../support/product/product.ts';

const callsOf = (product: Awaited<ReturnType<typeof startProduct>>, method: string) =>
  product.workspace.traffic.recent().filter(({ name }) => name === method);

describe('what Slack delivers twice', () => {
  it('a command opens one modal, and nobody hears of an error', async () => {
    const product = await startProduct();
    const { workspace, startBot, ada } = product;
    await startBot();
    workspace.faults.inject({ name: 'delivered_twice', kind: 'slash_commands' });
    await ada.types(general, '/agent count');
    await workspace.until(() => ada.modal());
    await workspace.settled();
    expect(ada.sees(general).filter(({ visibleTo }) => visibleTo === ada.person.id)).toEqual([]);
    await ada.submits();
    await runMessageShowing(workspace, 'Succeeded');
    expect(callsOf(product, 'views.open')).toHaveLength(1);
  });
});
