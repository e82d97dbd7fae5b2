import { describe, expect, it } from 'vitest';
import { callOk } from '../../../packages/slack-stand-in/test/support/call-api.ts';
import { addsRule } from '../../support/product/policy.ts';
import {
  promptsSent,
  runMessageIn,
  runMessageShowing,
  startedProduct,
  textOf,
} from '../../support/product/product.ts';
import { startRepliedProduct } from '../../support/product/replies.ts';

type Product = Awaited<ReturnType<typeof startedProduct>>;

/** Ada's actions in her direct messages with the app, and the app's answers that last. Ephemeral answers don't. */
function directOf({ workspace, ada }: Pick<Product, 'workspace' | 'ada'>) {
  const direct = ada.directChannelId;
  const answers = (thread: string | undefined) =>
    ada.sees(direct).filter(({ botId, threadTs }) => botId && threadTs === thread);
  return {
    direct,
    answers,
    /**
     * Sends a message to the app.
     * @returns the thread of the message
     */
    async writes(text: string, more: Parameters<typeof ada.types>[2] = {}): Promise<string> {
      const { message } = await ada.types(direct, text, more);
      return more.threadTs ?? message?.ts ?? '';
    },
    answered: (thread: string, words: string, count = 1) =>
      workspace.until(() => {
        const found = answers(thread).filter((each) => textOf(each).includes(words));
        return found.length >= count ? found : undefined;
      }),
    isQuiet: () => expect(ada.passing(direct)).toEqual([]),
  };
}

const helpWords = '*Runs*';

describe('direct messages to the app', () => {
  it('get help in their thread, however it is asked for, and it starts no run', async () => {
    const product = await startedProduct();
    const { direct, answers, writes, answered, isQuiet } = directOf(product);
    const asking = ['help', 'Help!', ' /agent help', 'What can you do?', 'what can you do…'];
    for (const words of asking) await answered(await writes(words), helpWords);
    const thread = await writes('HELP');
    await answered(thread, helpWords);
    for (const [index, words] of ['help', 'What can you do?!'].entries()) {
      await writes(words, { threadTs: thread });
      await answered(thread, helpWords, index + 2);
    }
    await product.workspace.settled();
    expect(answers(thread)).toHaveLength(3);
    expect(runMessageIn(product.workspace, direct)).toBeUndefined();
    expect(await promptsSent(product)).toEqual([]);
    isQuiet();
  });

  it('start a run without a mention, or are asked what to do with a file', async () => {
    const product = await startedProduct();
    const { workspace } = product;
    const { direct, writes, answered, isQuiet } = directOf(product);
    const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
    const thread = await writes('', { files });
    await answered(thread, 'What should the agent do with this file?');
    expect(runMessageIn(workspace, direct)).toBeUndefined();

    await writes('say what went wrong', { threadTs: thread });
    await runMessageShowing(workspace, 'Succeeded', direct);
    const [sent] = await promptsSent(product);
    expect(sent).toMatch(/^say what went wrong\n/);
    expect(sent).toContain('> File: server.log https://files.example/F1');

    const root = await writes('count the files for me');
    const ended = await runMessageShowing(workspace, 'Succeeded: count the files for me', direct);
    expect(ended.threadTs).toBe(root);
    expect(textOf(ended)).toContain('run:details');
    expect(textOf(ended)).not.toContain('Share in channel');
    isQuiet();
  });

  it('show rejections, mistakes and what a click says in the thread, where they stay', async () => {
    const product = await startedProduct();
    const { workspace, ada } = product;
    const { direct, answers, writes, answered, isQuiet } = directOf(product);
    await answered(await writes('env=nowhere count the files'), 'nowhere');
    await answered(await writes('stop'), 'type `@agent stop` in its thread');
    const thread = await writes('help');
    const [help] = await answered(thread, helpWords);
    await ada.clicks({ channelId: direct, messageTs: help?.ts ?? '' }, 'agent-command:list');
    await answered(thread, "haven't started any runs");
    const old = { type: 'button', action_id: 'of:yesterday', text: plain('Old') };
    const blocks = [{ type: 'actions', elements: [old] }];
    const args = { channel: direct, thread_ts: thread, text: 'old', blocks };
    const { ts } = await callOk(workspace, 'chat.postMessage', args);
    await ada.clicks({ channelId: direct, messageTs: String(ts) }, 'of:yesterday');
    await answered(thread, 'This button is out of date');
    expect(answers(thread)).toHaveLength(4);
    await addsRule(product, ada, { name: 'In channels', conversations: ['direct'], start: 'no' });
    await answered(await writes('count the files'), 'In channels');
    isQuiet();
  });

  it('show once what Slack took without saying so', async () => {
    const product = await startedProduct();
    const { answers, writes, answered, isQuiet } = directOf(product);
    const lost = { name: 'answer_lost', method: 'chat.postMessage', times: 2 } as const;
    await product.workspace.faults.inject(lost);
    const thread = await writes('help');
    await answered(thread, helpWords);
    await product.workspace.until(() => {
      const calls = product.workspace.traffic.recent();
      return calls.some(({ name }) => name === 'conversations.replies');
    });
    const next = await writes('What can you do?');
    await answered(next, helpWords);
    await answered(await writes('stop'), 'type `@agent stop` in its thread');
    expect([answers(thread), answers(next)].map(({ length }) => length)).toEqual([1, 1]);
    isQuiet();
  });

  it('reach a run that is active, and answer in its thread', async () => {
    const product = await startRepliedProduct();
    const { workspace, followUps, creates } = product;
    const { direct, writes, answered, isQuiet } = directOf(product);
    const thread = await writes('wait for me');
    await runMessageShowing(workspace, 'In progress', direct);
    const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
    await writes('help', { threadTs: thread, files });
    await answered(thread, 'an active run only accepts text');
    await workspace.until(() => followUps().length > 0);
    expect(followUps()).toEqual(['help']);
    await writes('stop', { threadTs: thread });
    await runMessageShowing(workspace, 'Canceled', direct);
    await writes('help', { threadTs: thread });
    await answered(thread, helpWords);
    expect(creates()).toHaveLength(1);
    isQuiet();
  });
});

const plain = (text: string) => ({ type: 'plain_text', text });
