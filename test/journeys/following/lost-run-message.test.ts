import { expect, it } from 'vitest';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
} from '../../support/product/product.ts';
import { letRepliesCount, startRepliedProduct } from '../../support/product/replies.ts';

/** A public channel that the app isn't in. */
const random = 'C04RANDOM01';

it('a run message whose post Slack never confirmed has a thread in which a reply and a mention reach the run', async () => {
  const { ada, grace, workspace, ...product } = await startRepliedProduct();
  await letRepliesCount({ workspace }, grace);
  workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  workspace.faults.inject({ name: 'server_error', method: 'conversations.history', times: 1_000 });
  await ada.types(general, '/agent run wait for me');
  const { ts: threadTs } = await workspace.until(() => runMessageIn(workspace));
  const reply = await ada.types(general, 'also count the tests', { threadTs });
  const mention = `<@${workspace.bot.userId}> and the docs`;
  const { message } = await ada.types(general, mention, { threadTs });
  await workspace.settled();

  workspace.faults.clear();
  await runMessageShowing(workspace, 'In progress');
  await product.reacted(reply.message?.ts, 'white_check_mark');
  await product.reacted(message?.ts, 'hourglass_flowing_sand');
  expect(product.followUps().toSorted()).toEqual(['also count the tests', 'and the docs']);
  expect(product.creates()).toHaveLength(1);
  expect(runMessagesIn(workspace)).toHaveLength(1);
});

it("a run message that may have been lost where the app can't look goes to its creator, and a click on the lost one removes it", async () => {
  const { ada, workspace } = await startRepliedProduct();
  workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  await ada.types(random, '/agent run wait for me');
  const direct = await workspace.until(() => runMessageIn(workspace, ada.directChannelId));
  await ada.clicks({ channelId: ada.directChannelId, messageTs: direct.ts }, 'run:cancel');
  // The app only updates messages whose place is stored.
  const shown = () => runMessageIn(workspace, ada.directChannelId)?.text ?? '';
  await workspace.until(() => shown().startsWith('Canceled'));
  const lost = runMessageIn(workspace, random);
  expect(lost?.text).toMatch(/^Starting/);
  await ada.clicks({ channelId: random, messageTs: lost?.ts ?? '' }, 'run:details');
  await workspace.until(() => !runMessageIn(workspace, random));
  const joins = workspace.traffic.recent().filter(({ name }) => name === 'conversations.join');
  expect(joins).toEqual([]);
  expect(shown()).toMatch(/^Canceled/);
});
