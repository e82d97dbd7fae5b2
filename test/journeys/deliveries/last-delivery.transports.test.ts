import { createLogger } from 'base/logger';
import { openEncryption } from 'base/secrets/encryption-keys';
import type { Actor } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { inspectDatabase } from '../../../src/store/inspect-database.ts';
import { botTables } from '../../../src/store/tables.ts';
import { general, startProduct } from '../../support/product/product.ts';

describe('the time of the last delivery', () => {
  it.each<[string, (person: Actor) => Promise<unknown>]>([
    ['a command that starts a run', (person) => person.types(general, '/agent run greet us')],
    ['a command that only answers', (person) => person.types(general, '/agent help')],
    ['a message', (person) => person.types(general, 'Good morning')],
    ['a shortcut', (person) => person.usesGlobalShortcut('global-shortcut:run')],
    ['a look at the Home tab', (person) => person.opensHome()],
  ])('is known after %s', async (_, act) => {
    const { config, workspace, startBot } = await startProduct();
    await startBot();
    const encryption = openEncryption(config.encryptionKeys, createLogger('silent'));
    const deliveredAt = async () => {
      const seen = await inspectDatabase(config.databaseUrl, [botTables], encryption);
      if ('problem' in seen) throw new Error(seen.problem);
      return seen.deliveredAt;
    };
    expect(await deliveredAt()).toBeUndefined();
    const beganAt = Date.now();
    await act(workspace.as('ada'));
    await expect.poll(deliveredAt).toBeGreaterThanOrEqual(beganAt - 1_000);
  });
});
