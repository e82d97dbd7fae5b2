import { describe, expect, it } from 'vitest';
import { renderEndReply } from '../../../src/slack/run-message/notices/render-end-reply.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start, forgetAll, database } = useRunInSlack();
type Bot = Awaited<ReturnType<typeof start>>;

const paragraph = 'The total was wrong when a cart had a coupon, so it is rounded once now.';
const short = `## Fixed\n\n${paragraph}\n\n- one more test`;
const medium = Array.from({ length: 60 }, (_, index) => `${index}: ${paragraph}`).join('\n');
const tooMuch = [
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_too_long',
  'msg_blocks_too_long',
  'invalid_attachments',
  'an_error_of_tomorrow',
];

async function endedBot(answer: string): Promise<Bot> {
  const bot = await start({ answer });
  await bot.works();
  bot.end();
  return bot;
}

const rejectTimes = (bot: Bot, error: string, times: number) =>
  bot.inject({ name: 'error_answer', method: 'chat.postMessage', error, times });

async function finish(bot: Bot): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await database()
      .updateTable('outbox')
      .set({ began_at: Date.now() - 60_000 })
      .where('began_at', 'is not', null)
      .execute();
    await bot.works();
  }
}

const repliesOf = (bot: Bot) => bot.all().filter(({ text }) => /✅ Succeeded/.test(text));

describe('an answer that Slack rejects as too much', () => {
  it.each(tooMuch)('is its beginning and a file (%s)', async (error) => {
    const bot = await endedBot(medium);
    await rejectTimes(bot, error, 1);
    await finish(bot);
    const [, reply, file, ...more] = bot.all();
    expect(more).toEqual([]);
    expect(JSON.stringify(reply?.blocks)).toContain(`0: ${paragraph}`);
    expect(JSON.stringify(reply?.blocks)).toMatch(/beginning of the answer.*Show full answer/);
    expect(file?.files).toMatchObject([{ size: medium.length }]);
    expect(new Set(bot.all().map(({ channelId }) => channelId)).size).toBe(1);
  });

  it.each(tooMuch)('is its text and a file if that is rejected too (%s)', async (error) => {
    const bot = await endedBot(medium);
    await rejectTimes(bot, error, 2);
    await finish(bot);
    const [, reply] = bot.all();
    expect(reply?.blocks).toBeUndefined();
    expect(reply?.text).toContain(`9: ${paragraph}`);
    expect(bot.files()).toEqual(['answer.md']);
  });

  it('is one line without a file if the run message has all of it', async () => {
    const bot = await endedBot(short);
    await rejectTimes(bot, 'invalid_attachments', 1);
    await finish(bot);
    const [message, reply] = bot.all();
    expect(JSON.stringify(message?.blocks)).toContain('one more test');
    expect(reply?.text).toMatch(/^<@\w+> ✅ Succeeded$/);
    expect(bot.files()).toEqual([]);
  });

  it('has a button for the rest where the app may not upload files', async () => {
    const bot = await endedBot(medium.repeat(3));
    await bot.reject('files.getUploadURLExternal', 'missing_scope');
    await finish(bot);
    const [, reply, ...more] = bot.all();
    expect(more).toEqual([]);
    expect(JSON.stringify(reply?.blocks)).toMatch(/beginning of the answer.*Show full answer/);
    expect((await bot.posts()).map(({ state }) => state)).not.toContain('waiting');
  });

  it('is a direct message with its file if the thread is closed', async () => {
    const bot = await endedBot(medium.repeat(3));
    await bot.reject('chat.postMessage', 'is_archived');
    await bot.reject('files.completeUploadExternal', 'is_archived');
    await finish(bot);
    const [, reply, file, ...more] = bot.all();
    expect(more).toEqual([]);
    expect(reply?.channelId).toMatch(/^D/);
    expect(JSON.stringify(reply?.blocks)).toMatch(/beginning of the answer.*Show full answer/);
    expect([file?.channelId, bot.files()]).toEqual([reply?.channelId, ['answer.md']]);
  });

  it('is never taken for whole if only its beginning is known', () => {
    const run = aRun({ state: 'SUCCEEDED' });
    const versions = renderEndReply(aRequest({ step: 'ended', run }), ['U1'], {
      answer: short,
      isCut: true,
    });
    expect(versions.map(({ withFile }) => withFile)).toEqual([true, true]);
    expect(JSON.stringify(versions[0])).toContain('This is the beginning of the answer.');
  });

  it.each([1, 2, 3])('has one reply and one file if the answer to post %i is lost', async (nth) => {
    const bot = await endedBot(medium);
    if (nth > 1) await rejectTimes(bot, 'invalid_blocks', nth - 1);
    await bot.inject({ name: 'answer_lost', method: 'chat.postMessage' });
    await finish(bot);
    expect(repliesOf(bot)).toHaveLength(1);
    expect(bot.files()).toEqual(nth === 1 ? [] : ['answer.md']);
  });

  it('has one reply, and one file unless it is whole, whenever the bot is killed', async () => {
    for (let nth = 1; ; nth += 1) {
      await forgetAll();
      const bot = await endedBot(medium);
      await rejectTimes(bot, 'invalid_blocks', 1);
      const isKilled = await bot.worksUntilKilled(nth);
      await finish(bot);
      const replies = repliesOf(bot);
      expect([nth, replies.length, bot.files().length <= 1]).toEqual([nth, 1, true]);
      // Slack may accept the blocks by the time another process tries, so either result is correct.
      const isWhole = JSON.stringify(replies[0]?.blocks).includes(`59: ${paragraph}`);
      expect([nth, isWhole || bot.files().length === 1]).toEqual([nth, true]);
      if (!isKilled) break;
    }
  });
});
