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
    async opensForm() {
      const asked = ada.sees(general).findLast(({ visibleTo }) => visibleTo !== undefined);
      const place = { channelId: general, messageTs: asked?.ts ?? '' };
      await ada.clicks(place, 'mention:start-from-thread');
      await workspace.until(() => ada.modal());
    },
    /** Writes a thread of two messages, one of which contains a key. */
    async hasThread() {
      const { message } = await ada.types(general, 'the login page is blank');
      const threadTs = message?.ts ?? '';
      const leak = `token=ghp_${'a1B2'.repeat(6)} fails`;
      await product.grace.types(general, leak, { threadTs });
      return threadTs;
    },
  };
}

const replies = { method: 'conversations.replies' } as const;
const unreadable = { ...replies, name: 'error_answer', error: 'missing_scope' } as const;

describe('a mention in a thread', () => {
  it('without words shows what would be sent, and its form waits for the thread even if it is submitted at once', async () => {
    const product = await startedProduct();
    const { ada, workspace, service, me, isTold, hasThread } = product;
    const threadTs = await hasThread();
    await ada.types(general, me, { threadTs });
    const asked = await isTold('Start a run with this thread?');
    expect(asked).toContain('2 messages');
    expect(asked).toContain('[masked secret 1]');
    expect(runMessageIn(workspace)).toBeUndefined();
    workspace.faults.inject({ name: 'answer_delayed', ...replies, delayMs: 60_000 });
    await product.opensForm();
    const { errors } = await ada.submits();
    expect(errors?.['prompt']).toContain('still loading');
    workspace.faults.clear();
    await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
    expect(await ada.submits()).toEqual({});
    const ended = await runMessageShowing(workspace, 'Succeeded');
    expect(ended.threadTs).toBe(threadTs);
    expect((await promptsSent({ service }))[0]).toContain('> the login page is blank');
  });

  it('starts the run without the thread when that can no longer be read, also from the form, and says so', async () => {
    const product = await startedProduct();
    const { ada, workspace, service, me, isTold, hasThread } = product;
    const threadTs = await hasThread();
    workspace.faults.inject(unreadable);
    await ada.types(general, `${me} look into it`, { threadTs });
    const told = await isTold('Started without the thread');
    expect(told).toContain('Ask an admin');
    expect(told).not.toContain('/invite');
    await runMessageShowing(workspace, 'Succeeded');

    await ada.types(general, me, { threadTs: await hasThread() });
    await isTold('Start a run with this thread?');
    workspace.faults.inject(unreadable);
    await product.opensForm();
    const opened = await workspace.until(() => {
      const text = textOf(ada.modal()?.content);
      return text.includes('read this thread') ? text : undefined;
    });
    expect(opened).toContain('Ask an admin');
    expect(opened).not.toContain('/invite');
    expect(await ada.submits({ prompt: 'count the files' })).toEqual({});
    await runMessageShowing(workspace, 'Succeeded: count the files');
    expect(await promptsSent({ service })).toEqual(['count the files', 'look into it']);
  });
});

it('options in a mention can start nothing and are answered, also with how much of a thread would be sent', async () => {
  const { ada, workspace, me, isTold, hasThread } = await startedProduct();
  for (const [words, told] of [
    ['--dry-run model=small count them', 'Model: `small` (typed)'],
    ['model=small count them --dry-run', 'Prompt: `count them`'],
    ['model=small', 'options but no prompt'],
    ['preset=nightly count them', 'no preset called `nightly`'],
  ] as const) {
    await ada.types(general, `${me} ${words}`);
    await isTold(told);
  }
  await ada.types(general, `${me} --dry-run look into it`, { threadTs: await hasThread() });
  const told = await isTold('2 messages of the thread');
  expect(told).toContain('Nothing was started');
  expect(told).toContain('1 value looks like a secret and is masked');
  await workspace.settled();
  expect(runMessageIn(workspace)).toBeUndefined();
});
