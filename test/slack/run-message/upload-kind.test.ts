import { describe, expect, it } from 'vitest';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start, forgetAll, database } = useRunInSlack();

type Bot = Awaited<ReturnType<typeof start>>;

const long = 'A line of a long answer.\n'.repeat(600);

/** Moves started posts a minute into the past, so that everything an earlier try sent has arrived. */
const settle = () =>
  database()
    .updateTable('outbox')
    .set({ began_at: Date.now() - 60_000 })
    .where('began_at', 'is not', null)
    .execute();

async function finish(bot: Bot): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await settle();
    await bot.works();
  }
  for (const agoMs of [6_000, 60_000]) {
    await database()
      .updateTable('outbox')
      .set({ suspected_at: Date.now() - agoMs, check_at: 1 })
      .where('suspected_at', 'is not', null)
      .execute();
    for (let round = 0; round < 2; round += 1) await bot.works();
  }
}

async function endedBot(results: Parameters<typeof start>[0]): Promise<Bot> {
  const bot = await start(results);
  await bot.works();
  await bot.works();
  bot.end();
  return bot;
}

describe('a long answer', () => {
  it('is a file below the reply, which has its beginning', async () => {
    const bot = await endedBot({ answer: long });
    await finish(bot);
    const message = (await bot.message())?.place?.ts;
    const [, reply, file, ...more] = bot.all();
    expect(more).toEqual([]);
    expect(JSON.stringify(reply?.blocks)).toContain('This is the beginning of the answer.');
    expect(file).toMatchObject({
      threadTs: message,
      files: [{ title: 'Answer: Count', size: long.length }],
    });
  });

  it('is in the reply alone if it fits there', async () => {
    const answer = 'A line.\n'.repeat(1_000);
    const bot = await endedBot({ answer });
    await finish(bot);
    expect(bot.files()).toEqual([]);
    const [block] = (bot.all()[1]?.blocks ?? []).filter(({ type }) => type === 'rich_text');
    expect(JSON.stringify(block).split('A line.')).toHaveLength(1_001);
  });
});

describe('screenshots', () => {
  it('are uploaded, three at most, and only images', async () => {
    const screenshots = ['page', 'gone', 'a', 'b', 'c'];
    const bot = await endedBot({ answer: 'done', screenshots });
    await finish(bot);
    expect(bot.files()).toEqual(['screenshot.png']);
    const all = bot.all().flatMap(({ files = [] }) => files);
    expect(all).toMatchObject([{ title: 'a', mimetype: 'application/octet-stream' }]);
  });
});

describe("a screenshot's title", () => {
  it('shows no secret in the name that an agent gave', async () => {
    const bot = await endedBot({ screenshots: [`ghp_${'a1B2'.repeat(9)}`] });
    await finish(bot);
    const all = bot.all().flatMap(({ files = [] }) => files);
    expect(all).toMatchObject([{ title: '[masked secret 1]' }]);
  });
});

describe('an upload', () => {
  const both = { answer: long, screenshots: ['a'] };
  const expected = ['answer.md', 'screenshot.png'];

  it.each([
    ['answer_lost', 'files.getUploadURLExternal'],
    ['answer_lost', 'files.completeUploadExternal'],
    ['rate_limited', 'files.getUploadURLExternal'],
  ] as const)('is there once after %s of %s', async (name, method) => {
    const bot = await endedBot(both);
    await bot.inject({ name, method, times: 2 });
    await finish(bot);
    expect(bot.files().toSorted()).toEqual(expected);
  });

  it('is there once, whenever the bot is killed', async () => {
    for (let nth = 1; ; nth += 1) {
      await forgetAll();
      const bot = await endedBot(both);
      // The first round only plans the uploads.
      await bot.works();
      const wasKilled = await bot.worksUntilKilled(nth);
      await finish(bot);
      expect(bot.files().toSorted(), `killed at write ${nth}`).toEqual(expected);
      if (!wasKilled) break;
    }
  });

  it.each(['file_uploads_disabled', 'missing_scope'])(
    'is given up when Slack says %s',
    async (error) => {
      const bot = await endedBot({ answer: long });
      await bot.reject('files.getUploadURLExternal', error);
      await finish(bot);
      expect(bot.files()).toEqual([]);
      expect(bot.all()).toHaveLength(2);
      const posts = await bot.posts();
      expect(posts.map(({ state }) => state)).not.toContain('waiting');
    },
  );
});
