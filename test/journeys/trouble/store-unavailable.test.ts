import { describe, expect, it } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { throughGate } from '../../support/network/tcp-gate.ts';
import {
  general,
  opensModal,
  runMessageShowing,
  runMessagesIn,
  startProduct,
} from '../../support/product/product.ts';

const notSaved = "Couldn't save this. Nothing was started. Try again in a minute.";

/** Enough for every statement that the database answers. */
const storeWaitMs = 5_000;

/** The product on a PostgreSQL that can be away. */
async function start() {
  const { url, gate } = await throughGate(await createPostgresDatabase());
  const product = await startProduct({ databaseUrl: url });
  await product.startBot({}, undefined, { storeWaitMs });
  return { ...product, gate };
}

describe('while PostgreSQL hangs', () => {
  it('a command is answered in time that nothing was started, and nothing starts later', async () => {
    const { ada, workspace, gate } = await start();
    gate.hang();
    const typed = await ada.types(general, '/agent run count');
    expect(typed.outcome).toMatchObject({ acked: true });
    const told = await workspace.until(() =>
      ada.sees(general).find(({ text }) => text.includes(notSaved)),
    );
    expect(told.text).toContain('> /agent run count');
    gate.resume();
    await ada.types(general, '/agent run again');
    await runMessageShowing(workspace, 'Succeeded');
    await workspace.settled();
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('a form stays open and says so; submitted again, it starts one run', async () => {
    const product = await start();
    const { ada, workspace, gate } = product;
    await opensModal(product, ada);
    gate.hang();
    const { errors } = await ada.submits({ prompt: 'count', channel: general });
    expect(errors).toEqual({ prompt: notSaved });
    gate.resume();
    await ada.submits({ prompt: 'count', channel: general });
    await runMessageShowing(workspace, 'Succeeded');
    await workspace.settled();
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('a click is answered likewise', async () => {
    const { ada, workspace, gate } = await start();
    await ada.types(general, '/agent run count');
    const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
    gate.hang();
    await ada.clicks({ channelId: general, messageTs }, 'run:again');
    await workspace.until(() => ada.sees(general).find(({ text }) => text.includes(notSaved)));
    gate.resume();
  });
});

describe('while PostgreSQL restarts', () => {
  it('a command is answered at once, and works when it is back', async () => {
    const { ada, workspace, gate } = await start();
    await gate.refuse();
    const typed = await ada.types(general, '/agent run count');
    expect(typed.outcome).toMatchObject({ acked: true });
    expect(ada.sees(general).at(-1)?.text).toContain(notSaved);
    await gate.accept();
    await ada.types(general, '/agent run again');
    await runMessageShowing(workspace, 'Succeeded');
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });
});
