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
import { letRepliesCount, startRepliedProduct } from '../../support/product/replies.ts';
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

describe('mentioning the app in a channel', () => {
  it('starts one run with its options in the thread of the mention, and none by edits, bots or mistakes', async () => {
    const product = await mentionedProduct();
    const { ada, workspace, me } = product;
    const plain = await ada.types(general, 'no mention here');
    await ada.edits(general, plain.message?.ts ?? '', `${me} added by an edit`);
    await ada.types(general, `<@${product.grace.person.id}> please count`);
    const alerts = workspace.as('Alertmanager');
    const alert = await alerts.types(general, `${me} count for a bot`);
    expect(alert.message?.botId).toBe(alerts.person.botId);
    await alerts.types(general, `${me} and for a bot`, { threadTs: alert.message?.ts });
    await ada.types(general, me);
    await toldAda(product, 'Type a prompt after');
    await ada.types(general, `${me} colour=red paint it`);
    await toldAda(product, 'colour=');
    await workspace.settled();
    expect(runMessageIn(workspace)).toBeUndefined();
    expect(textOf(alerts.sees(general).filter(({ visibleTo }) => visibleTo))).toBe('[]');

    workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    const { message } = await ada.types(general, `${me} title="From a mention" count & compare`);
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(ended.threadTs).toBe(message?.ts);
    expect(textOf(ended)).toContain('From a mention');
    expect(textOf(ended)).toContain('count & compare');
    await workspace.until(() => textOf(message?.reactions).includes('white_check_mark'));
    await ada.edits(general, message?.ts ?? '', `${me} count & compare, please`);
    await ada.deletes(general, message?.ts ?? '');
    await workspace.settled();
    await ada.types(general, `${me} the next real one`);
    await runMessageShowing(workspace, 'Succeeded: the next real one');
    expect(runMessagesIn(workspace)).toHaveLength(2);
    expect(await promptsSent(product)).toEqual(['the next real one', 'count & compare']);
  });

  it('counts edits until the run is created, starts nothing once it was deleted, and survives a stop of the bot', async () => {
    const product = await startProduct();
    const bot = await product.startBot();
    const { ada, workspace } = product;
    const me = `<@${workspace.bot.userId}>`;
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

    // The app stores a mention before it acknowledges it, so a restart doesn't lose it.
    await mentionAndWait('count the frogs', 3);
    await bot.stop();
    faults.clear();
    await product.startBot();
    await runMessageShowing(workspace, 'Succeeded: count the frogs');
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
    // The run message doesn't quote the thread that it's in.
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

    const words = `${product.me} title="With keys" log in with password=hunter2hunter2`;
    await product.ada.types(general, words, { threadTs: await thread(product) });
    const told = await toldAda(product, '2 values look like secrets and are masked');
    expect(textOf(told)).not.toContain('action_id');
    await runMessageShowing(product.workspace, 'Succeeded: With keys');
    expect(textOf(await promptsSent(product))).not.toMatch(/hunter2|ghp_/);
  });
});

describe('mentioning the app in the thread of a run that has ended', () => {
  it.each(['all', 'mentions'] as const)(
    'continues it, so that nothing is done twice (replies that count: %s)',
    async (which) => {
      const product = await startRepliedProduct();
      const { ada, grace, workspace, creates, toldTo, reacted } = product;
      await letRepliesCount(product, ada, which);
      const me = `<@${workspace.bot.userId}>`;
      await ada.types(general, '/agent run env=shell count the files');
      const { ts: threadTs } = await runMessageShowing(workspace, 'Succeeded');
      const words = `${me} also count the tests, password=hunter2hunter2`;
      const { message } = await grace.types(general, words, { threadTs });
      const next = await runMessageShowing(workspace, 'done: also count the tests');
      expect(next.threadTs).toBe(threadTs);
      await reacted(message?.ts, 'white_check_mark');
      expect(textOf(toldTo(grace))).toContain('looks like a secret');
      expect(textOf(toldTo(grace))).not.toContain('Run again');
      // A reply below the mention continues the thread's newest run.
      await ada.types(general, `${me} and the docs`, { threadTs });
      await runMessageShowing(workspace, 'done: and the docs');
      const [first, second, third] = creates();
      expect(first).not.toHaveProperty('conversation_id');
      expect(second).toMatchObject({
        prompt: 'also count the tests, password=[masked secret 1]',
        conversation_id: expect.any(String),
        config: { environment_id: 'shell' },
        metadata: { slack_user: grace.person.id },
      });
      expect(third).toMatchObject({
        prompt: 'and the docs',
        conversation_id: second?.['conversation_id'],
      });
      const asked = await ada.types(general, `${me} count the lines`);
      await runMessageShowing(workspace, 'done: count the lines');
      await ada.types(general, `${me} and the words`, { threadTs: asked.message?.ts });
      await runMessageShowing(workspace, 'done: and the words');
      expect(creates()[4]).toMatchObject({
        prompt: 'and the words',
        conversation_id: expect.any(String),
      });
    },
  );

  it('waits for its end if its service takes no messages', async () => {
    const { api, ada, workspace } = await stubbedProduct('INPROGRESS');
    await ada.types(general, '/agent run count the files');
    const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
    const words = `<@${workspace.bot.userId}> also count the tests`;
    const { message } = await ada.types(general, words, { threadTs });
    await workspace.until(() => textOf(message?.reactions).includes('hourglass'));
    expect(api.created).toHaveLength(1);
  });

  it('offers to run it again with these words if the service has no conversations, unless they were deleted', async () => {
    const { api, ada, workspace } = await stubbedProduct('SUCCEEDED');
    const me = `<@${workspace.bot.userId}>`;
    await ada.types(general, '/agent run count the files');
    const { ts: threadTs } = await runMessageShowing(workspace, 'Succeeded');
    const offers = async (text: string) => {
      const { message } = await ada.types(general, `${me} ${text}`, { threadTs });
      const offered = await toldAda({ ada, workspace }, 'Run again with message');
      return { offered, ts: message?.ts ?? '' };
    };
    const opens = async (messageTs: string) => {
      await ada.clicks({ channelId: general, messageTs }, 'mention:again-with-this');
      await workspace.until(() => ada.modal());
      return String(ada.modal()?.values['prompt']?.['value']?.['value']);
    };
    const early = await offers('and the docs');
    await ada.deletes(general, early.ts);
    expect(await opens(early.offered.ts)).toBe('count the files');
    expect(textOf(ada.modal()?.content)).toContain("can't be read anymore");
    await ada.closesModal();

    const { offered } = await offers('also count the tests, password=hunter2hunter2');
    expect(textOf(offered)).toContain('has ended');
    const told = () => ada.sees(general).filter(({ visibleTo }) => visibleTo !== undefined);
    await workspace.until(() => told().length === 2);
    expect(await opens(told()[1]?.ts ?? '')).toBe(
      'count the files\n\nalso count the tests, password=[masked secret 1]',
    );
    expect(api.created).toHaveLength(1);
  });
});
