import { expect, it } from 'vitest';
import { useRunInSlack } from '../../support/run-in-slack.ts';

const { start, database } = useRunInSlack();

type Bot = Awaited<ReturnType<typeof start>>;

const change = (columns: Record<string, number | null>) =>
  database().updateTable('requests').set(columns).execute();

/** Waits for the reply at the end. */
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
async function loseMessage(bot: Bot) {
  await change({ show_again_at: 1 });
  await bot.refuse('chat.update', 'edit_window_closed');
  await bot.works();
  await bot.works();
}

async function lookForDuplicates(bot: Bot) {
  await change({ duplicate_suspected_at: Date.now() - 6_000, duplicates_check_at: 1 });
  for (let round = 0; round < 3; round += 1) await bot.works();
  await change({ duplicate_suspected_at: Date.now() - 60_000, duplicates_check_at: 1 });
  for (let round = 0; round < 3; round += 1) await bot.works();
}

async function expectOneReplyBelowItsMessage(bot: Bot) {
  const messageTs = (await bot.stored())?.messageTs;
  expect(bot.threads()).toEqual([
    { ts: messageTs, below: undefined },
    { ts: expect.any(String), below: messageTs },
  ]);
}

it('moves the reply at the end when its message is replaced', async () => {
  const bot = await endedBot();
  await expectOneReplyBelowItsMessage(bot);
  await loseMessage(bot);
  await lookForDuplicates(bot);
  await expectOneReplyBelowItsMessage(bot);
});

it('moves it once when the message is replaced twice', async () => {
  const bot = await endedBot();
  await loseMessage(bot);
  await loseMessage(bot);
  await lookForDuplicates(bot);
  await expectOneReplyBelowItsMessage(bot);
});

it('moves it even if the process is killed at any point', async () => {
  for (let afterCalls = 1; ; afterCalls += 1) {
    const bot = await endedBot();
    await loseMessage(bot);
    await change({ duplicate_suspected_at: Date.now() - 6_000, duplicates_check_at: 1 });
    const wasKilled = await bot.worksUntilKilled(afterCalls);
    await lookForDuplicates(bot);
    await expectOneReplyBelowItsMessage(bot);
    await database().deleteFrom('requests').execute();
    await database().deleteFrom('notices').execute();
    if (!wasKilled) break;
  }
});

it('removes replies that were posted below a replaced message', async () => {
  const bot = await start();
  await bot.works();
  await bot.works();
  const nudge = { request_id: 'r1', key: 'nudge', kind: 'nudge', user_id: null };
  const planned = { ...nudge, names_json: '[]', to_channel: 0, due_at: 1 };
  await database().insertInto('notices').values(planned).execute();
  bot.block();
  await bot.works();
  await bot.works();
  expect(bot.threads()).toHaveLength(2);
  await loseMessage(bot);
  await lookForDuplicates(bot);
  const messageTs = (await bot.stored())?.messageTs;
  expect(bot.threads()).toEqual([{ ts: messageTs, below: undefined }]);
});
