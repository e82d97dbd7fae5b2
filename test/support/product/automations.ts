import { openDatabase } from 'base/database/database';
import { createLogger } from 'base/logger';
import { openEncryption } from 'base/secrets/encryption-keys';
import { expect } from 'vitest';
import { freePort } from '../../../packages/base/test/support/free-port.ts';
import { testKeys } from '../../../packages/base/test/support/test-key.ts';
import {
  type Definition,
  newAutomationId,
  type Trigger,
} from '../../../src/automations/automation.ts';
import { allowBot } from '../../../src/slack/automations/allowed-bots.ts';
import { createAutomations } from '../../../src/store/automations/automations.ts';
import { createSettings } from '../../../src/store/people/settings.ts';
import type { DatabaseSchema, Db } from '../../../src/store/schema.ts';
import { botTables } from '../../../src/store/tables.ts';
import { aDefinition } from '../automations.ts';
import { startProduct } from './product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

/** Starts the product with a port for webhooks. */
export async function startAutomatedProduct(
  changes: Parameters<typeof startProduct>[0] = {},
  workspaceChanges: Parameters<typeof startProduct>[1] = {},
) {
  const health = { host: '127.0.0.1', port: await freePort() };
  const publicUrl = `http://${health.host}:${health.port}`;
  const product = await startProduct({ health, publicUrl, ...changes }, workspaceChanges);
  await product.startBot();
  const { delivery } = product.config.slack;
  const { host, port } = delivery.mode === 'http' ? delivery : health;
  return { ...product, hooksUrl: `http://${host}:${port}/hooks` };
}

/** Opens the bot's database, in which tests store and read automations. */
async function withDatabase<T>(
  { config }: Pick<Product, 'config'>,
  use: (db: Db) => Promise<T>,
): Promise<T> {
  const encryption = openEncryption(testKeys, createLogger('silent'));
  const db = await openDatabase<DatabaseSchema>(config.databaseUrl, [botTables], { encryption });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

type Stored = {
  trigger: Trigger;
  channelId: string;
  name?: string;
  ownerId?: string;
  secret?: string;
} & Partial<Omit<Definition, 'trigger'>>;

/** Stores an automation of Ada. Returns its ID. */
export async function storeAutomation(product: Product, stored: Stored): Promise<string> {
  const { trigger, channelId, name = 'Watch', ownerId, secret, ...more } = stored;
  const id = newAutomationId();
  const owner = ownerId ?? product.ada.person.id;
  await withDatabase(product, (db) =>
    createAutomations(db).create(
      {
        id,
        teamId: product.workspace.team.id,
        ownerId: owner,
        channelId,
        name,
        definition: aDefinition({ trigger, ...more }),
        nextAt: null,
        createdAt: Date.now(),
      },
      owner,
      secret,
    ),
  );
  return id;
}

/** Allows the messages of Alertmanager, as Ada does in *Allowed bots*. */
export const allowAlertBot = (product: Product) =>
  withDatabase(product, (db) =>
    allowBot(
      createSettings(db),
      { teamId: product.workspace.team.id, userId: product.ada.person.id },
      { botId: 'B04ALERTBOT', name: 'Alertmanager' },
    ),
  );

/** Makes every schedule due now. */
export const makeSchedulesDue = (product: Product) =>
  withDatabase(product, (db) =>
    db
      .updateTable('automations')
      .set({ next_at: Date.now() - 1_000, due_at: 0 })
      .where('trigger_kind', '=', 'schedule')
      .execute(),
  );

/** Returns what became of everything that fired automations, oldest first. */
const firingStates = (product: Product): Promise<string[]> =>
  withDatabase(product, async (db) => {
    const rows = await db
      .selectFrom('automation_firings')
      .select(['state', 'reason'])
      .orderBy('happened_at')
      .execute();
    return rows.map(({ state, reason }) => [state, reason].filter(Boolean).join(': '));
  });

/** Waits until all firings are decided, and returns what became of them. */
export async function decided(product: Product, count: number): Promise<string[]> {
  await expect
    .poll(async () => (await firingStates(product)).filter((each) => each !== 'waiting').length)
    .toBe(count);
  return await firingStates(product);
}
