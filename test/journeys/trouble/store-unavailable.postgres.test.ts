import { expect, it } from 'vitest';
import { throughGate } from '../../../packages/base/test/support/tcp-gate.ts';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import {
  general,
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startProduct,
} from '../../support/product/product.ts';

const notSaved = "Couldn't save this. Nothing was started. Try again in a minute.";

/** Long enough for every statement that the database answers. */
const storeWaitMs = 5_000;

/** Starts the product on a PostgreSQL that a test can make unavailable. */
async function start() {
  const { url, gate } = await throughGate(await createPostgresDatabase());
  const product = await startProduct({ databaseUrl: url });
  await product.startBot({}, undefined, { storeWaitMs });
  return { ...product, gate };
}

it('while PostgreSQL hangs, commands, forms and clicks are answered that nothing was started, and nothing starts later', async () => {
  const product = await start();
  const { ada, workspace, gate } = product;
  await ada.types(general, '/agent run count');
  const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
  await opensModal(product, ada);
  gate.hang();
  const typed = await ada.types(general, '/agent run in vain');
  expect(typed.outcome).toMatchObject({ acked: true });
  const told = () => ada.sees(general).filter(({ text }) => text.includes(notSaved));
  await workspace.until(() => told().length === 1);
  expect(told()[0]?.text).toContain('> /agent run in vain');
  await ada.clicks({ channelId: general, messageTs }, 'run:again');
  await workspace.until(() => told().length === 2);
  const form = { prompt: 'once', channel: general };
  expect((await ada.submits(form)).errors).toEqual({ prompt: notSaved });

  gate.resume();
  // Submitting the form again starts one run.
  expect(await ada.submits(form)).toEqual({});
  await runMessageShowing(workspace, 'done: once');
  await workspace.settled();
  expect(runMessagesIn(workspace)).toHaveLength(2);
});

it('while PostgreSQL restarts, a command is answered at once, and works when it is back', async () => {
  const { ada, workspace, gate } = await start();
  await gate.reject();
  const typed = await ada.types(general, '/agent run count');
  expect(typed.outcome).toMatchObject({ acked: true });
  expect(ada.sees(general).at(-1)?.text).toContain(notSaved);
  await gate.accept();
  await ada.types(general, '/agent run again');
  await runMessageShowing(workspace, 'Succeeded');
  expect(runMessagesIn(workspace)).toHaveLength(1);
});
