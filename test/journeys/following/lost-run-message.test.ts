import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageIn,
  runMessageShowing,
  runMessagesIn,
} from '../../support/product/product.ts';
import { letRepliesCount, startRepliedProduct } from '../../support/product/replies.ts';

/** A run message that people see and the app can't find yet, because Slack's answer to its post was lost. */
async function lostMessage() {
  const product = await startRepliedProduct();
  const { ada, grace, workspace, creates, reacted } = product;
  await letRepliesCount(product, grace);
  workspace.faults.inject({ name: 'answer_lost', method: 'chat.postMessage' });
  workspace.faults.inject({ name: 'server_error', method: 'conversations.history', times: 1_000 });
  await ada.types(general, '/agent run wait for me');
  const { ts: threadTs } = await workspace.until(() => runMessageIn(workspace));
  const write = async (text: string) => {
    const { message } = await ada.types(general, text, { threadTs });
    return message?.ts;
  };
  const find = async () => {
    workspace.faults.clear();
    await runMessageShowing(workspace, 'In progress');
    expect(creates()).toHaveLength(1);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  };
  return { ...product, write, find, reacted };
}

describe('a run message whose post Slack never confirmed', () => {
  it('has a thread in which a mention starts no second run', async () => {
    const { workspace, write, find, creates } = await lostMessage();
    await write(`<@${workspace.bot.userId}> also count the tests`);
    await workspace.settled();
    await find();
    expect(creates()).toHaveLength(1);
  });

  it('has a thread in which a reply reaches the run', async () => {
    const { write, find, reacted, followUps } = await lostMessage();
    const sent = await write('also count the tests');
    await find();
    await reacted(sent, 'white_check_mark');
    expect(followUps()).toEqual(['also count the tests']);
  });
});
