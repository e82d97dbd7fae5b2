import type { Message } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { hourAt } from '../../../src/lib/time/local-time.ts';
import {
  general,
  picks,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';
import { shellEnvironment, startRunsService, testKey } from '../../support/runs-service.ts';

type Product = Awaited<ReturnType<typeof startProduct>>;

const at = (message: Message) => ({ channelId: general, messageTs: message.ts });

async function startRun({ workspace, grace }: Product, prompt: string): Promise<Message> {
  await grace.types(general, `/agent ${prompt}`);
  await workspace.until(() => grace.modal());
  await grace.submits();
  return runMessageShowing(workspace, prompt);
}

const repliesTo = ({ workspace }: Product, { ts }: Message) =>
  workspace
    .messagesIn(general, { thread: ts })
    .filter(({ threadTs, visibleTo }) => threadTs === ts && !visibleTo);

const firstReply = (product: Product, message: Message) =>
  product.workspace.until(() => repliesTo(product, message)[0]);

/** Saves settings by field, such as `person:reply`. */
async function saveSettings({ workspace, grace }: Product, values: Record<string, string>) {
  await grace.types(general, '/agent settings');
  const view = await workspace.until(() => grace.modal());
  if (Object.keys(values)[0]?.startsWith('channel:')) {
    await grace.clicks({ view }, 'settings:scope:channel');
    await workspace.until(() => textOf(grace.modal()?.content).includes('channel:reply'));
  }
  expect(await grace.submits(values)).toEqual({});
}

describe('notifications of the end, by setting,', () => {
  it('are sent directly instead of in the thread', async () => {
    const product = await startedProduct();
    await saveSettings(product, { 'person:reply': 'direct' });
    const message = await startRun(product, 'count');
    const [told] = await product.workspace.until(
      () => directMessagesOf(product).length > 0 && directMessagesOf(product),
    );
    expect(told?.text).toMatch(/: succeeded/);
    await product.workspace.settled();
    expect([repliesTo(product, message), directMessagesOf(product).length]).toEqual([[], 1]);
  });

  it("are sent to both places, once each even if Slack's answer is lost", async () => {
    const product = await startedProduct();
    const { workspace } = product;
    await saveSettings(product, { 'channel:reply': 'both', 'channel:to_channel': 'yes' });
    const message = await startRun(product, 'wait');
    await runMessageShowing(workspace, 'In progress');
    await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await product.ada.clicks(at(message), 'run:cancel');
    const reply = await firstReply(product, message);
    await workspace.until(() => directMessagesOf(product).length > 0);
    await workspace.settled();
    expect([repliesTo(product, message).length, directMessagesOf(product).length]).toEqual([1, 1]);
    expect(reply.isBroadcast).toBe(true);
  });

  it('are off, except for people who press Notify me', async () => {
    const product = await startedProduct();
    const { workspace, grace, ada } = product;
    await saveSettings(product, { 'channel:reply': 'none' });
    const message = await startRun(product, 'wait');
    await runMessageShowing(workspace, 'In progress');
    await picks(product, ada, at(message), 'Notify me');
    await grace.clicks(at(message), 'run:cancel');
    const { text } = await firstReply(product, message);
    expect(text.match(/<@\w+>/g)).toEqual([`<@${ada.person.id}>`]);
  });

  it('wait for the end of quiet hours', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const hour = hourAt(Date.now(), grace.person.timeZone);
    await saveSettings(product, {
      'person:quiet_from': String(hour),
      'person:quiet_until': String((hour + 2) % 24),
    });
    const said = await grace.types(general, `<@${workspace.bot.userId}> count`);
    const source = () => workspace.messagesIn(general).find(({ ts }) => ts === said.message?.ts);
    await runMessageShowing(workspace, 'Succeeded');
    // The reaction is added after the notifications are planned.
    await workspace.until(() => textOf(source()?.reactions).includes('white_check_mark'));
    await workspace.settled();
    expect(
      workspace.messagesIn(general).filter(({ text }) => text.includes(': succeeded')),
    ).toEqual([]);
    expect(directMessagesOf(product)).toEqual([]);
  });
});

describe('a run that needs input', () => {
  it('asks its creator once, with buttons', async () => {
    const product = await stubbedProduct('BLOCKED');
    const { workspace, grace } = product;
    await grace.types(general, '/agent run wait for me');
    const message = await runMessageShowing(workspace, 'Needs input');
    const nudge = await firstReply(product, message);
    expect(nudge.text).toMatch(new RegExp(`^<@${grace.person.id}> ✋.*needs input`));
    expect(textOf(nudge.blocks)).toContain('question:open');
    await picks(product, grace, at(message), 'Notify me');
    await workspace.settled();
    expect(repliesTo(product, message)).toHaveLength(1);
  });
});

describe('when a run ends', () => {
  it('one reply in its thread mentions the creator and has the answer', async () => {
    const product = await startedProduct();
    const message = await startRun(product, 'count');
    const { text, blocks } = await firstReply(product, message);
    expect(text).toContain(`<@${product.grace.person.id}>`);
    expect(text).toMatch(/succeeded in .*\ndone: count\n<http.*Open session>/);
    const answer = { type: 'markdown', text: 'done: count' };
    expect(blocks).toContainEqual(expect.objectContaining(answer));
  });

  it('the reply says why it failed, and offers what may help', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const message = await startRun(product, 'fail please');
    const { text, blocks, ts } = await firstReply(product, message);
    expect(text).toMatch(/failed.*\n>.*tests do not pass/);
    expect(textOf(blocks)).toContain('the tests do not pass\\n(The agent exited with code 3.)');
    await grace.clicks({ channelId: general, messageTs: ts }, 'run:again');
    await workspace.until(() => runMessagesIn(workspace).length === 2);
  });

  it('a long answer is a file in its thread', async () => {
    const words = 'for i in 1 2 3 4 5 6 7 8 9 10; do printf "%01900d\\n" $i; done';
    const environments = [shellEnvironment(words, { default: true })];
    const { service } = await startRunsService({ environments });
    const runsApi = { baseUrl: service.apiUrl, apiKey: testKey };
    const product = await startedProduct({ runsApi });
    const message = await startRun(product, 'count');
    const file = await product.workspace.until(
      () => repliesTo(product, message).find(({ files }) => files)?.files?.[0],
    );
    expect(file).toMatchObject({ title: 'Answer: count', size: 19_009 });
  });

  it('the reply mentions people who pressed Notify me once, and nobody who opted out', async () => {
    const product = await startedProduct();
    const { workspace, ada, grace } = product;
    const message = await startRun(product, 'wait');
    await runMessageShowing(workspace, 'In progress');
    await picks(product, ada, at(message), 'Notify me');
    await picks(product, ada, at(message), 'Notify me');
    await picks(product, grace, at(message), 'Notify me');
    const told = await workspace.until(() =>
      workspace.messagesIn(general).find(({ visibleTo }) => visibleTo === grace.person.id),
    );
    await grace.clicks({ channelId: general, messageTs: told.ts }, 'run-message:do-not-notify');
    await workspace.until(() =>
      workspace
        .messagesIn(general)
        .find(
          ({ visibleTo, text }) =>
            visibleTo === grace.person.id && text.includes("won't notify you"),
        ),
    );
    await ada.clicks(at(message), 'run:cancel');
    const { text } = await firstReply(product, message);
    expect(text.match(/<@\w+>/g)).toEqual([`<@${ada.person.id}>`]);
    expect(text).toMatch(/: canceled by Ada/);
    const shown = await runMessageShowing(workspace, 'Canceled');
    expect(textOf(shown)).toContain(`by <@${ada.person.id}>`);
  });

  it("the creator is notified that a run wasn't started, and how it ended after Try again", async () => {
    const product = await startProduct();
    const { workspace, grace } = product;
    const bot = await product.startBot({
      runsApi: { ...product.config.runsApi, apiKey: 'wrong' },
    });
    const said = await grace.types(general, `<@${workspace.bot.userId}> count`);
    const message = await runMessageShowing(workspace, 'Not started');
    const source = () => workspace.messagesIn(general).find(({ ts }) => ts === said.message?.ts);
    const told = () => repliesTo(product, said.message ?? message).map(({ text }) => text);
    const first = await workspace.until(() => told().find((text) => text.includes('not started')));
    expect(first).toMatch(new RegExp(`^<@${grace.person.id}>.*rejected the app's API key`, 's'));
    await workspace.until(() => textOf(source()?.reactions).includes('"x"'));
    await bot.stop();
    await product.startBot();
    await grace.clicks(at(message), 'run-message:try-again');
    await workspace.until(() => told().find((text) => text.includes(': succeeded')));
    await workspace.settled();
    expect(source()?.reactions.map(({ name }) => name)).toEqual(['white_check_mark']);
  });

  it("the reply is posted once even if Slack's answer is lost", async () => {
    const product = await startedProduct();
    const { workspace } = product;
    const message = await startRun(product, 'wait');
    await runMessageShowing(workspace, 'In progress');
    await workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await product.ada.clicks(at(message), 'run:cancel');
    await firstReply(product, message);
    await workspace.until(() =>
      workspace.traffic.recent().some(({ name }) => name === 'conversations.replies'),
    );
    await workspace.settled();
    expect(repliesTo(product, message)).toHaveLength(1);
  });

  it('the reply is posted after a restart if the bot was down at the end', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const message = await startRun(product, 'wait');
    await runMessageShowing(product.workspace, 'In progress');
    await product.workspace.faults.inject({
      name: 'server_error',
      method: 'chat.postMessage',
      times: 50,
    });
    await product.ada.clicks(at(message), 'run:cancel');
    await runMessageShowing(product.workspace, 'Canceled');
    await bot.stop();
    product.workspace.faults.clear();
    await product.startBot();
    await firstReply(product, message);
    expect(repliesTo(product, message)).toHaveLength(1);
  });

  it('the source message gets a reaction with the outcome', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const said = await grace.types(general, 'please count');
    const ts = said.message?.ts ?? '';
    await grace.usesMessageShortcut('message-shortcut:run', { channelId: general, ts });
    await workspace.until(() => grace.modal());
    expect(await grace.submits()).toEqual({});
    const reactions = () =>
      workspace
        .messagesIn(general)
        .find((message) => message.ts === ts)
        ?.reactions.map(({ name }) => name);
    await workspace.until(() => reactions()?.join() === 'white_check_mark');
  });

  it('the creator gets a direct message if the run message is gone', async () => {
    const product = await startedProduct();
    const { workspace, grace } = product;
    const message = await startRun(product, 'wait');
    await runMessageShowing(workspace, 'In progress');
    await grace.clicks(at(message), 'run:cancel');
    await workspace.faults.inject({ name: 'message_deleted', channel: general, ts: message.ts });
    const direct = await workspace.until(
      () => textOf(directMessagesOf(product)).includes('canceled') && directMessagesOf(product),
    );
    expect(direct).toHaveLength(1);
  });
});

const directMessagesOf = ({ workspace, grace }: Product): Message[] => {
  const direct = workspace.channels.find(
    ({ kind, memberIds }) => kind === 'im' && memberIds.includes(grace.person.id),
  );
  return direct ? workspace.messagesIn(direct.id) : [];
};
