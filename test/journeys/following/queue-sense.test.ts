import { expect, it } from 'vitest';
import { createRunLengths } from '../../../src/store/following/run-lengths.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { startApiStub } from '../../support/network/api-stub.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const minuteMs = 60_000;
const next = { status_message: { message: 'Next in the queue' } };

type Product = Awaited<ReturnType<typeof startProduct>>;

/** Stores five earlier runs of the environment that waited and worked for these times. */
async function seed({ config }: Product, environment: string, waitedMs: number, workedMs: number) {
  const db = await openTestDatabase(config.databaseUrl);
  const lengths = createRunLengths(db);
  for (let index = 1; index <= 5; index += 1) {
    const length = { environment, waitedMs, workedMs, endedAt: index };
    await lengths.note({ requestId: `earlier-${index}`, ...length });
  }
  await db.destroy();
}

/** Starts a product whose runs API returns this state for its only run. */
async function productWith(run: Parameters<Awaited<ReturnType<typeof startApiStub>>['answers']>) {
  const product = await startProduct();
  const api = await startApiStub();
  api.answers(...run);
  await seed(product, 'shop', 4 * minuteMs, 8 * minuteMs);
  await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
  return { ...product, api };
}

it('a queued run shows the usual wait of its environment, and one that takes much longer than usual notifies its creator once', async () => {
  const { workspace, grace, api } = await productWith(['QUEUED', next]);
  await grace.types(general, '/agent run env=shop count');
  const queued = await runMessageShowing(workspace, 'Next in the queue');
  expect(textOf(queued)).toContain('Usual wait in this environment: 4');

  const started_at = new Date(Date.now() - 25 * minuteMs).toISOString();
  api.answers('INPROGRESS', { started_at });
  const started = await runMessageShowing(workspace, 'In progress');
  expect(started.ts).toBe(queued.ts);
  expect(textOf(started)).not.toContain('Usual wait');
  const replies = () =>
    workspace
      .messagesIn(general, { thread: started.ts })
      .filter(({ threadTs, visibleTo }) => threadTs === started.ts && !visibleTo);
  const nudge = await workspace.until(() => replies()[0]);
  expect(textOf(nudge.blocks)).toContain(`<@${grace.person.id}> ⏱️`);
  expect(nudge.text).toMatch(/Longer than usual: .+ so far, usually 8/);
  expect(textOf(runMessageIn(workspace))).not.toContain('⏱️');
  api.answers('BLOCKED', { started_at });
  await runMessageShowing(workspace, 'Needs input');
  await workspace.until(() => replies().length === 2);
  expect(textOf(replies()[1])).toContain('✋ Needs input');
});
