import { describe, expect, it } from 'vitest';
import {
  general,
  picks,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const action = 'Share in channel';

/** Starts a run whose message is in a thread of #general. */
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
      ({ text, threadTs, visibleTo }) =>
        text.includes('shared an agent run') && !threadTs && !visibleTo,
    );

/** Joins the texts in the channel and its thread that only one person sees. */
const toldIn = ({ workspace }: Product, thread: string) =>
  [...workspace.messagesIn(general, { thread }), ...workspace.messagesIn(general)]
    .filter(({ visibleTo }) => visibleTo)
    .map(({ text }) => text)
    .join();

const pointerOf = (product: Product) => product.workspace.until(() => pointersIn(product)[0]);

describe('a run in a thread, shown in the channel', () => {
  it("is linked once when people ask at the same time and Slack's answer is lost, and the others are told", async () => {
    const product = await startedProduct();
    const { workspace, ada, grace } = product;
    const { place, ts } = await runInThread(product);
    const told = () => toldIn(product, ts);
    await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    // The message can't be updated and keeps the entry, so people select it again.
    const fault = { name: 'error_answer', method: 'chat.update', error: 'internal_error' } as const;
    await workspace.faults.inject({ ...fault, times: 10_000 });
    await picks(product, ada, place, action);
    await Promise.all([ada, grace].map((each) => picks(product, each, place, action)));
    await workspace.until(() => /You already.*Someone|Someone.*You already/s.test(told()));
    const pointer = await pointerOf(product);
    workspace.faults.clear();
    expect(pointer.text).toMatch(/Ada Lovelace shared an agent run: \*wait for me\*/);
    expect(pointer.text).toContain(`/p${ts.replace('.', '')}`);
    expect(pointer.text).not.toContain('<@');
    const offered = () => textOf(runMessagesIn(workspace).find((each) => each.ts === ts));
    await workspace.until(() => !offered().includes(action));
    await workspace.until(() =>
      workspace.traffic.recent().some(({ name }) => name === 'conversations.history'),
    );
    await workspace.settled();
    expect(pointersIn(product)).toHaveLength(1);
    expect(told().match(/already asked to share/g)).toHaveLength(2);
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
        .find(({ text }) => text.includes("Couldn't share")),
    );
    expect(told.text).toContain('wait for me');
    expect(pointersIn(product)).toEqual([]);
  });
});
