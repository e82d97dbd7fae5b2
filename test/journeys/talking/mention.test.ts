import { describe, expect, it } from 'vitest';
import {
  detailsOf,
  general,
  promptsSent,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
  startedProduct,
  startProduct,
  textOf,
} from '../../support/product/product.ts';
import { stubbedProduct } from '../../support/product/stubbed-product.ts';

const mentionedProduct = async () => {
  const product = await startedProduct();
  return { ...product, me: `<@${product.workspace.bot.userId}>` };
};

type Product = Awaited<ReturnType<typeof mentionedProduct>>;

const toldAda = ({ ada, workspace }: Pick<Product, 'ada' | 'workspace'>, words: string) =>
  workspace.until(() => {
    const last = ada.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
    return last && textOf(last).includes(words) ? last : undefined;
  });

const runMessages = ({ workspace }: Product) =>
  workspace
    .messagesIn(general)
    .filter(({ botId, visibleTo }) => botId === workspace.bot.botId && !visibleTo);

describe('mentioning the app in a channel', () => {
  it('starts a run with its options in the thread of the mention and marks the message', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const { message } = await ada.types(general, `${me} title="From a mention" count & compare`);
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(ended.threadTs).toBe(message?.ts);
    expect(textOf(ended)).toContain('From a mention');
    expect(textOf(ended)).toContain('count & compare');
    await workspace.until(() => textOf(message?.reactions).includes('hourglass'));
  });

  it('starts one run when the event comes twice', async () => {
    const product = await mentionedProduct();
    product.workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    await product.ada.types(general, `${product.me} once only`);
    await runMessageShowing(product.workspace, 'Succeeded');
    await product.workspace.settled();
    expect(
      runMessages(product).filter(({ blocks }) => textOf(blocks).includes('once')),
    ).toHaveLength(1);
  });

  it('explains itself without words and names mistakes in options', async () => {
    const product = await mentionedProduct();
    await product.ada.types(general, product.me);
    await toldAda(product, 'Write what to do after');
    await product.ada.types(general, `${product.me} colour=red paint it`);
    await toldAda(product, 'colour=');
    expect(runMessageIn(product.workspace)).toBeUndefined();
  });

  it('ignores edits, mentions of others and messages without a mention', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const plain = await ada.types(general, 'no mention here');
    await ada.edits(general, plain.message?.ts ?? '', `${me} added by an edit`);
    await ada.types(general, `<@${product.grace.person.id}> please count`);
    await workspace.settled();
    await ada.types(general, `${me} the only real one`);
    await runMessageShowing(workspace, 'Succeeded');
    expect(runMessages(product).filter(({ threadTs }) => threadTs)).not.toHaveLength(0);
    expect(textOf(runMessages(product))).not.toMatch(/added by an edit|please count/);
  });

  it('counts edits until the run is created, and starts nothing once it was deleted', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const { faults } = workspace;
    const mentionAndWait = async (words: string, waits: number) => {
      await faults.inject({ name: 'answer_delayed', method: 'chat.getPermalink', delayMs: 60_000 });
      const { message } = await ada.types(general, `${me} ${words}`);
      await workspace.until(() => faults.struck().answer_delayed === waits);
      return message?.ts ?? '';
    };
    await ada.edits(general, await mentionAndWait('count the cats', 1), `${me} count the dogs`);
    faults.clear();
    await runMessageShowing(workspace, 'count the dogs');
    await ada.deletes(general, await mentionAndWait('count the birds', 2));
    faults.clear();
    await ada.types(general, `${me} count the fish`);
    await runMessageShowing(workspace, 'count the fish');
    await workspace.until(() => textOf(runMessageIn(workspace)).includes('Succeeded'));
    expect(await promptsSent(product)).toEqual(['count the fish', 'count the dogs']);
  });

  it('ignores other bots, also in threads', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const alerts = workspace.as('Alertmanager');
    const { message } = await alerts.types(general, `${me} count for a bot`);
    expect(message?.botId).toBe(alerts.person.botId);
    await alerts.types(general, `${me} once more for a bot`, { threadTs: message?.ts });
    await workspace.settled();
    await ada.types(general, `${me} the only real one`);
    await runMessageShowing(workspace, 'the only real one');
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(textOf(alerts.sees(general).filter(({ visibleTo }) => visibleTo))).toBe('[]');
  });

  it('survives a stop of the bot: it is stored before Slack is acknowledged', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const { ada, workspace } = product;
    workspace.faults.inject({ name: 'answer_delayed', method: 'chat.getPermalink', delayMs: 500 });
    await ada.types(general, `<@${workspace.bot.userId}> survive a stop`);
    await bot.stop();
    await product.startBot();
    await runMessageShowing(workspace, 'survive a stop');
    await runMessageShowing(workspace, 'Succeeded');
  });
});

describe('mentioning the app in a thread', () => {
  async function thread(product: Product) {
    const { message } = await product.ada.types(general, 'the login page is blank');
    const threadTs = message?.ts ?? '';
    await product.grace.types(general, 'token=ghp_abcdefghijklmnopqrstuvwx fails', { threadTs });
    return threadTs;
  }

  it('sends the thread as quoted context with names and masked secrets, and says so', async () => {
    const product = await mentionedProduct();
    const threadTs = await thread(product);
    await product.ada.types(general, `${product.me} look into it`, { threadTs });
    const ended = await runMessageShowing(product.workspace, 'Succeeded');
    expect(ended.threadTs).toBe(threadTs);
    const shown = textOf(ended.blocks);
    expect(shown).toContain('look into it');
    // The message is in that thread itself.
    expect(shown).not.toContain('the login page is blank');
    const [sent] = await promptsSent(product);
    expect(sent).toContain('> the login page is blank');
    expect(sent).toContain('Grace Hopper (');
    expect(sent).not.toContain('ghp_abcdefghijklmnopqrstuvwx');
    expect(await detailsOf(product, product.ada, ended)).toMatch(
      /2 messages of the thread.*1 masked secret/,
    );

    await product.ada.clicks({ channelId: general, messageTs: ended.ts }, 'run:again');
    await product.workspace.until(() => runMessagesIn(product.workspace).length === 2);
    const again = runMessageIn(product.workspace) ?? ended;
    expect(textOf(again)).not.toContain('the login page is blank');
    expect(await detailsOf(product, product.ada, again)).toContain('2 messages of the thread');
    const ends = () =>
      runMessagesIn(product.workspace).filter((each) => /Succeeded/.test(textOf(each)));
    await product.workspace.until(() => ends().length === 2);
    expect(await promptsSent(product)).toEqual([sent, sent]);
  });

  it('keeps secrets masked and says how many it masked', async () => {
    const product = await mentionedProduct();
    const threadTs = await thread(product);
    const words = `${product.me} title="With keys" log in with password=hunter2hunter2`;
    await product.ada.types(general, words, { threadTs });
    await runMessageShowing(product.workspace, 'Succeeded');
    const told = await toldAda(product, '2 values look like secrets and are masked');
    expect(textOf(told)).not.toContain('action_id');
    expect(textOf(await promptsSent(product))).not.toMatch(/hunter2|ghp_/);
  });

  it('without words shows what would be sent and starts only after a click', async () => {
    const product = await mentionedProduct();
    const { ada, workspace } = product;
    const threadTs = await thread(product);
    await ada.types(general, product.me, { threadTs });
    const asked = await toldAda(product, 'Start a run with this thread?');
    expect(textOf(asked)).toContain('2 messages');
    expect(textOf(asked)).toContain('[masked secret 1]');
    expect(runMessageIn(workspace)).toBeUndefined();
    const place = { channelId: general, messageTs: asked.ts };
    await ada.clicks(place, 'mention:start-from-thread');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
    expect(await ada.submits()).toEqual({});
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect((await promptsSent(product))[0]).toContain('> the login page is blank');
    expect(ended.threadTs).toBe(threadTs);
  });

  it('of an active run sends the words to that run', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, service, me } = product;
    await ada.types(general, '/agent run title="The long one" wait for me');
    const active = await runMessageShowing(workspace, 'In progress');
    await ada.types(general, `${me} also count the tests`, { threadTs: active.ts });
    await toldAda(product, 'Sent to *The long one*');
    const headers = { authorization: 'Bearer test-key-of-ada-0123456789abcdefgh' };
    const runs = (await (await fetch(`${service.apiUrl}/agent/runs`, { headers })).json()) as {
      runs: unknown[];
    };
    expect(runs.runs).toHaveLength(1);
  });
});

describe('mentioning the app in the thread of a run that takes no more messages', () => {
  const promptOf = ({ ada }: Product) =>
    String(ada.modal()?.values['prompt']?.['value']?.['value']);

  async function clickAgain(product: Product, threadTs: string) {
    const { ada, workspace, me } = product;
    await ada.types(general, `${me} also count the tests, password=hunter2hunter2`, { threadTs });
    const offered = await toldAda(product, 'Run again with message');
    const place = { channelId: general, messageTs: offered.ts };
    await ada.clicks(place, 'mention:again-with-this');
    await workspace.until(() => ada.modal());
    return textOf(offered);
  }

  it('offers to run it again with these words when it has ended', async () => {
    const product = await mentionedProduct();
    const { ada, workspace } = product;
    await ada.types(general, '/agent run env=shell count the files');
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(await clickAgain(product, ended.ts)).toContain('has ended');
    expect(promptOf(product)).toBe(
      'count the files\n\nalso count the tests, password=[masked secret 1]',
    );
    expect(runMessageIn(workspace)?.ts).toBe(ended.ts);
    expect(await ada.submits()).toEqual({});
    const again = await runMessageShowing(workspace, 'also count the tests');
    expect(textOf(again.blocks)).not.toContain('hunter2hunter2');
  });

  it('offers the same below a run message that was deleted', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    await ada.types(general, '/agent run wait for me');
    const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
    await ada.types(general, 'who deletes this?', { threadTs });
    await workspace.faults.inject({ name: 'message_deleted', channel: general, ts: threadTs });
    await ada.types(general, `${me} stop`, { threadTs });
    // Its end has no message to be shown in, so the app knows by now.
    await workspace.until(() => textOf(ada.sees(ada.directChannelId)).includes('canceled'));
    expect(await clickAgain(product, threadTs)).toContain('has ended');
    expect(promptOf(product)).toContain('wait for me\n\nalso count the tests');
    expect(runMessagesIn(workspace)).toEqual([]);
  });

  it('offers the same when its service takes no messages', async () => {
    const { api, ...product } = await stubbedProduct('INPROGRESS');
    const me = `<@${product.workspace.bot.userId}>`;
    await product.ada.types(general, '/agent run count the files');
    const active = await runMessageShowing(product.workspace, 'In progress');
    const offered = await clickAgain({ ...product, me }, active.ts);
    expect(offered).toContain("doesn't accept messages right now");
    expect(promptOf({ ...product, me })).toContain('also count the tests');
    expect(api.created).toHaveLength(1);
  });

  it('says so when the mention was deleted before the click', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    await ada.types(general, '/agent run count the files');
    const { ts: threadTs } = await runMessageShowing(workspace, 'Succeeded');
    const { message } = await ada.types(general, `${me} and the tests`, { threadTs });
    const offered = await toldAda(product, 'Run again with message');
    await ada.deletes(general, message?.ts ?? '');
    await ada.clicks({ channelId: general, messageTs: offered.ts }, 'mention:again-with-this');
    await workspace.until(() => ada.modal());
    expect(textOf(ada.modal()?.content)).toContain("can't be read anymore");
    expect(promptOf(product)).toBe('count the files');
  });
});

describe('a mention that is edited or deleted later', () => {
  it('starts no other run', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const { message } = await ada.types(general, `${me} count the files`);
    await runMessageShowing(workspace, 'Succeeded');
    await ada.edits(general, message?.ts ?? '', `${me} count the files, please`);
    await ada.deletes(general, message?.ts ?? '');
    await workspace.settled();
    await ada.types(general, `${me} the next real one`);
    await runMessageShowing(workspace, 'the next real one');
    expect(runMessagesIn(workspace)).toHaveLength(2);
  });
});
