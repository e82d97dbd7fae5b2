import { describe, expect, it } from 'vitest';
import { newNotice } from '../../../../src/slack/run-message/notices/notice-content.ts';
import { changedPost } from '../../../../src/store/outbox/outbox-row.ts';
import { useRunInSlack } from '../../../support/posting/run-in-slack.ts';

const { start, forgetAll, database } = useRunInSlack();

type Bot = Awaited<ReturnType<typeof start>>;

const change = (columns: Record<string, number | null>) =>
  database().updateTable('outbox').set(columns).where('suspected_at', 'is not', null).execute();

/** Starts a run, ends it and waits for the end reply. */
async function endedBot(): Promise<Bot> {
  const bot = await start();
  await bot.works();
  await bot.works();
  bot.end();
  await bot.works();
  await bot.works();
  return bot;
}

/** Makes the next update fail, so a new message replaces the old one. */
async function rejectUpdate(bot: Bot): Promise<void> {
  await database().updateTable('outbox').set({ show_again_at: 1 }).where('id', '=', 'r1').execute();
  await bot.reject('chat.update', 'edit_window_closed');
}

async function loseMessage(bot: Bot) {
  await rejectUpdate(bot);
  await bot.works();
  await bot.works();
}

async function findDuplicatePosts(bot: Bot) {
  await change({ suspected_at: Date.now() - 6_000, check_at: 1 });
  for (let round = 0; round < 3; round += 1) await bot.works();
  await change({ suspected_at: Date.now() - 60_000, check_at: 1 });
  for (let round = 0; round < 3; round += 1) await bot.works();
}

async function expectOneReplyBelowItsMessage(bot: Bot) {
  const messageTs = (await bot.message())?.place?.ts;
  expect(bot.threads()).toEqual([
    { ts: messageTs, below: undefined },
    { ts: expect.any(String), below: messageTs },
  ]);
}

it('moves the reply at the end once when its message is replaced twice', async () => {
  const bot = await endedBot();
  await expectOneReplyBelowItsMessage(bot);
  await loseMessage(bot);
  await loseMessage(bot);
  await findDuplicatePosts(bot);
  await expectOneReplyBelowItsMessage(bot);
});

it('moves the reply at the end even if the process is killed at any point', async () => {
  for (let nth = 1; ; nth += 1) {
    const bot = await endedBot();
    await loseMessage(bot);
    await change({ suspected_at: Date.now() - 6_000, check_at: 1 });
    const wasKilled = await bot.worksUntilKilled(nth);
    await findDuplicatePosts(bot);
    await expectOneReplyBelowItsMessage(bot);
    await forgetAll();
    if (!wasKilled) break;
  }
});

it('removes replies that were posted below a replaced message', async () => {
  const bot = await start();
  await bot.works();
  await bot.works();
  const content = { userId: null, names: [], toChannel: false };
  await bot.plan(newNotice({ id: 'r1', teamId: 'T1' }, 'nudge', content, 1));
  bot.block({ status_message: { message: 'm', auth_url: 'https://connect.example' } });
  await bot.works();
  await bot.works();
  expect(bot.threads()).toHaveLength(2);
  await loseMessage(bot);
  await findDuplicatePosts(bot);
  const messageTs = (await bot.message())?.place?.ts;
  expect(bot.threads()).toEqual([{ ts: messageTs, below: undefined }]);
});

/** Starts a run that asks a question, and waits for its card. */
async function askingBot(): Promise<Bot> {
  const bot = await start();
  bot.block();
  await bot.works();
  await bot.works();
  expect(bot.threads()).toHaveLength(2);
  return bot;
}

it('posts a question again below the new message, once even if the process is killed at any point', async () => {
  for (let nth = 1; ; nth += 1) {
    const bot = await askingBot();
    await rejectUpdate(bot);
    const wasKilled = await bot.worksUntilKilled(nth);
    await database()
      .updateTable('outbox')
      .set({ began_at: 1 })
      .where('began_at', 'is not', null)
      .execute();
    await bot.works();
    await findDuplicatePosts(bot);
    await expectOneReplyBelowItsMessage(bot);
    expect(JSON.stringify(bot.all().at(-1))).toContain('question:open');
    await forgetAll();
    if (!wasKilled) break;
  }
});

describe('a question whose own card is being replaced when its message is replaced', () => {
  const question = async (bot: Bot) => {
    const found = (await bot.posts()).find(({ kind }) => kind === 'question');
    if (!found?.place) throw new Error('there is no question');
    return { ...found, place: found.place };
  };

  /** Ends the run, so the question is no longer needed, and loses its message. */
  async function endAndLoseMessage(bot: Bot) {
    bot.end();
    await loseMessage(bot);
    await findDuplicatePosts(bot);
  }

  it('leaves no card when it is needless before it is posted again', async () => {
    const bot = await askingBot();
    const { id, place } = await question(bot);
    const replacing = { state: 'waiting', beganAt: null, place: null, failures: 0 } as const;
    const replaced = { ...place, repost: 'here' } as const;
    await database()
      .updateTable('outbox')
      .set(changedPost(id, { ...replacing, replaced }))
      .where('id', '=', id)
      .execute();
    await endAndLoseMessage(bot);
    await expectOneReplyBelowItsMessage(bot);
    expect(JSON.stringify(bot.all())).not.toContain('question:');
  });

  it('leaves no card when it is needless before the old card is removed', async () => {
    const bot = await askingBot();
    const { id } = await question(bot);
    await database().updateTable('outbox').set({ shown: null }).where('id', '=', id).execute();
    await bot.reject('chat.update', 'edit_window_closed');
    await bot.works();
    expect(bot.threads()).toHaveLength(3);
    await endAndLoseMessage(bot);
    await expectOneReplyBelowItsMessage(bot);
    expect(JSON.stringify(bot.all())).not.toContain('question:');
  });
});
