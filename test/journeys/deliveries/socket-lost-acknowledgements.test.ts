import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  startProduct,
} from '../../support/product/product.ts';

/** Starts the product with a bot, and collects every line that the bot logs. */
async function startLogged() {
  // A short limit, because Slack waits in vain for the lost acknowledgement.
  const product = await startProduct({}, { ackWithinMs: 6_000 });
  const { logger, lines } = createLineLogger();
  await product.startBot({}, logger);
  let connections = 2;
  product.workspace.subscribe((change) => {
    if (change.type === 'socket') connections = change.connections;
  });
  return { ...product, lines, isConnected: () => connections > 0 };
}

describe('a connection that ends before an acknowledgement', () => {
  it('costs a person one more press: the request is there once, and nobody hears of an error', async () => {
    const { workspace, ada, lines, isConnected } = await startLogged();
    await ada.usesGlobalShortcut('global-shortcut:run');
    await workspace.until(() => ada.modal());
    const delay = { name: 'answer_delayed', method: 'conversations.info' } as const;
    await workspace.faults.inject({ ...delay, delayMs: 60_000 });
    const pressed = ada.submits({ prompt: 'count', channel: general });
    await workspace.until(() => workspace.faults.struck().answer_delayed === 1);
    await workspace.faults.inject({ name: 'sockets_cut' });
    workspace.faults.clear();
    expect(await pressed).toEqual({ error: 'operation_timeout' });
    expect(ada.modal()).toBeDefined();

    await workspace.until(isConnected);
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(ada.sees(general).filter(({ visibleTo }) => visibleTo !== undefined)).toEqual([]);
    const lost = () => lines.filter(({ msg }) => msg.includes('before the acknowledgement'));
    await expect.poll(lost).toMatchObject([{ level: 30, what: 'view_submission' }]);
    expect(lines.filter(({ level }) => level > 40)).toEqual([]);
  });
});
