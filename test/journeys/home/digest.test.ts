import { hourAt } from 'base/time/local-time';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../../support/database/databases.ts';
import {
  general,
  rates,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { savesSettings } from '../../support/product/settings.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const digestsIn = ({ workspace }: Product) =>
  workspace.messagesIn(general).filter((message) => textOf(message).includes('Daily digest of'));

async function setDigest({ ada, workspace }: Product): Promise<void> {
  // Half a day away, so the digest isn't due while the test runs.
  const hour = (hourAt(Date.now(), ada.person.timeZone) + 12) % 24;
  const values = { 'channel:digest': String(hour) };
  await savesSettings({ workspace }, ada, 'channel:notifications', values);
}

/** Makes the digest due immediately. */
async function makeDue({ config }: Product): Promise<number> {
  const db = await openTestDatabase(config.databaseUrl);
  const nextAt = Date.now() - 1;
  await db.updateTable('digests').set({ next_at: nextAt }).execute();
  await db.destroy();
  return nextAt;
}

const nextOf = async ({ config }: Product) => {
  const db = await openTestDatabase(config.databaseUrl);
  const row = await db.selectFrom('digests').selectAll().executeTakeFirstOrThrow();
  await db.destroy();
  return row;
};

const statesOf = async ({ config }: Product) => {
  const db = await openTestDatabase(config.databaseUrl);
  const rows = await db.selectFrom('outbox').select('state').where('kind', '=', 'digest').execute();
  await db.destroy();
  return rows.map(({ state }) => state);
};

it("the daily digest of a channel lists runs and failures, once even if Slack's answer is lost, and isn't posted when nothing happened", async () => {
  const product = await startProduct();
  const { workspace, grace } = product;
  const bot = await product.startBot();
  await setDigest(product);
  await bot.stop();
  const emptyAt = await makeDue(product);
  const again = await product.startBot();
  await expect.poll(async () => (await nextOf(product)).next_at).toBeGreaterThan(emptyAt + 1);
  expect(digestsIn(product)).toEqual([]);

  await grace.types(general, '/agent run count <!channel> things');
  const message = await runMessageShowing(workspace, 'Succeeded');
  await rates(product, grace, message, 'positive');
  await grace.types(general, '/agent run fail please');
  await runMessageShowing(workspace, 'tests do not pass');
  await again.stop();
  const dueAt = await makeDue(product);
  await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  await product.startBot();
  await expect.poll(() => statesOf(product)).toEqual(['done', 'done']);
  expect((await nextOf(product)).next_at).toBeGreaterThan(dueAt + 1);
  expect(digestsIn(product)).toHaveLength(1);
  const shown = textOf(digestsIn(product)[0]);
  expect(shown).toContain('✅ 1 succeeded  ·  ❌ 1 failed  ·  👍 rated good once');
  expect(shown).toMatch(/Failed.*fail please.*Grace.*Failed: .*tests do not pass/);
  expect(shown).not.toMatch(/<@|<!channel>/);
});
