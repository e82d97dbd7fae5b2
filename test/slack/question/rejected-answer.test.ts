import { expect, it } from 'vitest';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { createStore } from '../../../src/store/store.ts';
import { useRunInSlack } from '../../support/posting/run-in-slack.ts';

const { start, database } = useRunInSlack();

/** Starts a run that asked a question and whose answer is being sent. */
async function startAnswered() {
  const bot = await start();
  bot.block();
  await bot.works();
  await bot.works();
  const id = (await bot.posts()).find(({ kind }) => kind === 'question')?.id ?? '';
  const { answers } = createStore(database()).following;
  await answers.give({
    id,
    teamId: 'T1',
    requestId: 'r1',
    answeredBy: 'U1',
    authority: ownAuthority('U1'),
    answeredAt: Date.now(),
    given: { questionId: null, text: 'main' },
  });
  await answers.retryLater(id, Date.now() + 60_000, true);
  return { bot, id, answers };
}

it('a card in a channel that is closed for a while shows its answer when that is open', async () => {
  const { bot, id, answers } = await startAnswered();
  await bot.reject('chat.update', 'is_archived');
  await bot.works();
  await answers.settle({ id, requestId: 'r1' }, 'accepted', null);
  await bot.works();
  const cards = bot.all().filter(({ threadTs }) => threadTs !== undefined);
  expect(cards.map(({ text }) => text)).toEqual(['Question closed: Count']);
});

it('a card that cannot be edited is posted again when its answer was rejected, with the reason', async () => {
  const { bot, id, answers } = await startAnswered();
  await bot.reject('chat.update', 'edit_window_closed');
  await bot.works();
  await answers.settle({ id, requestId: 'r1' }, 'rejected', 'There is no such branch.');
  await bot.works();
  const cards = bot.all().filter(({ blocks }) => JSON.stringify(blocks).includes('question:open'));
  expect(JSON.stringify(cards)).toContain('There is no such branch.');
});
