import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../support/database/test-key.ts';
import {
  general,
  picks,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const action = 'Show in channel';

/** A run in progress, with its message in a thread of #general. */
async function runInThread({ workspace, grace }: Product) {
  await grace.types(general, `<@${workspace.bot.userId}> wait for me`);
  const message = await workspace.until(() =>
    runMessagesIn(workspace).find((each) => textOf(each).includes('In progress')),
  );
  expect(message.threadTs).toBeDefined();
  return { place: { channelId: general, messageTs: message.ts }, ts: message.ts };
}

const pointersIn = ({ workspace }: Product) =>
  workspace
    .messagesIn(general)
    .filter(
      ({ text, threadTs, visibleTo }) => text.includes('shared by') && !threadTs && !visibleTo,
    );

/** What only one person sees, in the channel and its thread. */
const toldIn = ({ workspace }: Product, thread: string) =>
  [...workspace.messagesIn(general, { thread }), ...workspace.messagesIn(general)]
    .filter(({ visibleTo }) => visibleTo)
    .map(({ text }) => text)
    .join();

const pointerOf = (product: Product) => product.workspace.until(() => pointersIn(product)[0]);

describe('a run in a thread, shown in the channel', () => {
  it('is linked once when two people ask at the same time, and the second is told', async () => {
    const product = await startProduct();
    await product.startBot();
    const { workspace, ada, grace } = product;
    const { place, ts } = await runInThread(product);
    await Promise.all([ada, grace].map((each) => picks(product, each, place, action)));
    const pointer = await pointerOf(product);
    expect(pointer.text).toMatch(/\*wait for me\*.*shared by (Ada|Grace)/);
    expect(pointer.text).toContain(`/p${ts.replace('.', '')}`);
    expect(pointer.text).not.toContain('<@');
    const offered = () => textOf(runMessagesIn(workspace).find((each) => each.ts === ts));
    await workspace.until(() => !offered().includes(action));
    await workspace.settled();
    expect(pointersIn(product)).toHaveLength(1);
    expect(toldIn(product, ts)).toContain('Someone already asked to show');
  });

  it('is linked once when someone asks twice, and they are told that they asked', async () => {
    const product = await startedProduct();
    const { place, ts } = await runInThread(product);
    await Promise.all([1, 2].map(() => picks(product, product.ada, place, action)));
    await pointerOf(product);
    await product.workspace.settled();
    expect(pointersIn(product)).toHaveLength(1);
    expect(toldIn(product, ts)).toContain('You already asked to show');
  });

  it("is linked once even if Slack's answer is lost", async () => {
    const product = await startProduct();
    await product.startBot();
    const { place } = await runInThread(product);
    await product.workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await picks(product, product.ada, place, action);
    await pointerOf(product);
    await product.workspace.until(() =>
      product.workspace.traffic.recent().some(({ name }) => name === 'conversations.history'),
    );
    await product.workspace.settled();
    expect(pointersIn(product)).toHaveLength(1);
  });

  it('is linked once after a crash right after the post', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const { place } = await runInThread(product);
    await picks(product, product.ada, place, action);
    await pointerOf(product);
    await bot.stop();
    const db = await openTestDatabase(product.config.databaseUrl);
    const ofPointer = { state: 'waiting', ts: null, due_at: 1 };
    await db.updateTable('outbox').set(ofPointer).where('kind', '=', 'pointer').execute();
    await db.destroy();
    await product.startBot();
    const state = async () => {
      const read = await openTestDatabase(product.config.databaseUrl);
      const posts = read.selectFrom('outbox').select('state').where('kind', '=', 'pointer');
      const row = await posts.executeTakeFirstOrThrow();
      await read.destroy();
      return row.state;
    };
    await expect.poll(state).toBe('done');
    expect(pointersIn(product)).toHaveLength(1);
  });

  it("is explained in a direct message when the app can't post in the channel", async () => {
    const product = await startProduct();
    await product.startBot();
    const { workspace, ada } = product;
    const { place } = await runInThread(product);
    await workspace.faults.inject({
      name: 'error_answer',
      method: 'chat.postMessage',
      error: 'restricted_action',
    });
    await picks(product, ada, place, action);
    const told = await workspace.until(() =>
      workspace.channels
        .filter(({ kind, memberIds }) => kind === 'im' && memberIds.includes(ada.person.id))
        .flatMap(({ id }) => workspace.messagesIn(id))
        .find(({ text }) => text.includes("Couldn't show")),
    );
    expect(told.text).toContain('wait for me');
    expect(pointersIn(product)).toEqual([]);
  });

  it("isn't offered outside of a channel's threads", async () => {
    const product = await startProduct();
    await product.startBot();
    const { workspace, grace } = product;
    await grace.types(general, '/agent run count');
    const message = await workspace.until(() => runMessagesIn(workspace)[0]);
    expect(textOf(message)).not.toContain(action);
    await grace.types(grace.directChannelId, 'count directly');
    const direct = await workspace.until(() =>
      runMessagesIn(workspace, grace.directChannelId).find(({ threadTs }) => threadTs),
    );
    expect(textOf(direct)).toContain('run:details');
    expect(textOf(direct)).not.toContain(action);
  });
});
