import { describe, expect, it } from 'vitest';
import {
  general,
  promptsSent,
  runMessageIn,
  runMessageShowing,
  startedProduct as startedBot,
  textOf,
} from '../../support/product/product.ts';

async function startedProduct() {
  const product = await startedBot();
  const { ada, workspace } = product;
  return {
    ...product,
    me: `<@${workspace.bot.userId}>`,
    isTold: (words: string) =>
      workspace.until(() => {
        const said = textOf(ada.sees(general).filter(({ visibleTo }) => visibleTo !== undefined));
        return said.includes(words) ? said : undefined;
      }),
    /** A thread of two messages, one of them with a key. */
    async hasThread() {
      const { message } = await ada.types(general, 'the login page is blank');
      const threadTs = message?.ts ?? '';
      const leak = `token=ghp_${'a1B2'.repeat(6)} fails`;
      await product.grace.types(general, leak, { threadTs });
      return threadTs;
    },
  };
}

describe('a form that needs the thread of its mention', () => {
  async function openedForm() {
    const product = await startedProduct();
    const { ada, workspace, me, isTold, hasThread } = product;
    const threadTs = await hasThread();
    await ada.types(general, me, { threadTs });
    await isTold('Start a run with this thread?');
    const asked = ada.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
    const opens = async () => {
      await ada.clicks({ channelId: general, messageTs: asked?.ts ?? '' }, startAction);
      await workspace.until(() => ada.modal());
    };
    return { ...product, opens };
  }
  const startAction = 'mention:start-from-thread';
  const replies = { method: 'conversations.replies' } as const;

  it('waits for the thread even if it is submitted at once', async () => {
    const { ada, workspace, service, opens } = await openedForm();
    workspace.faults.inject({ name: 'answer_delayed', ...replies, delayMs: 60_000 });
    await opens();
    const { errors } = await ada.submits();
    expect(errors?.['prompt']).toContain('still loading');
    workspace.faults.clear();
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
    expect(await ada.submits()).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
    expect((await promptsSent({ service }))[0]).toContain('> the login page is blank');
  });

  it('says so when the thread can no longer be read', async () => {
    const { ada, workspace, opens } = await openedForm();
    workspace.faults.inject({ name: 'error_answer', ...replies, error: 'missing_scope' });
    await opens();
    const opened = await workspace.until(() => {
      const text = textOf(ada.modal()?.content);
      return text.includes('read this thread') ? text : undefined;
    });
    expect(opened).toContain('Ask an admin');
    expect(opened).not.toContain('/invite');
    expect(await ada.submits({ prompt: 'count the files' })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded');
  });
});

describe('options in a mention', () => {
  it.each([
    ['--dry-run model=small count them', 'Model: `small` (typed)'],
    ['model=small count them --dry-run', 'Prompt: `count them`'],
    ['model=small', 'options but no prompt'],
    ['preset=nightly count them', 'no preset called `nightly`'],
  ])('%j starts nothing and is answered', async (words, told) => {
    const { ada, workspace, me, isTold } = await startedProduct();
    await ada.types(general, `${me} ${words}`);
    await isTold(told);
    await workspace.settled();
    expect(runMessageIn(workspace)).toBeUndefined();
  });

  it('show with --dry-run how much of the thread would be sent', async () => {
    const { ada, workspace, me, isTold, hasThread } = await startedProduct();
    const threadTs = await hasThread();
    await ada.types(general, `${me} --dry-run look into it`, { threadTs });
    const told = await isTold('Nothing was started');
    expect(told).toContain('2 messages of the thread');
    expect(told).toContain('1 value looks like a secret and is masked');
    expect(runMessageIn(workspace)).toBeUndefined();
  });

  it('start the run without the thread when it cannot be read, and say so', async () => {
    const { ada, workspace, service, me, isTold, hasThread } = await startedProduct();
    const threadTs = await hasThread();
    const fault = { name: 'error_answer', method: 'conversations.replies' } as const;
    workspace.faults.inject({ ...fault, error: 'missing_scope' });
    await ada.types(general, `${me} look into it`, { threadTs });
    const told = await isTold('Started without the thread');
    expect(told).toContain('Ask an admin');
    expect(told).not.toContain('/invite');
    await runMessageShowing(workspace, 'Succeeded');
    expect(await promptsSent({ service })).toEqual(['look into it']);
  });
});
