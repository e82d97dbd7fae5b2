import { expect, it } from 'vitest';
import { homeOf } from '../../support/product/home.ts';
import {
  general,
  picks,
  runMessageShowing,
  runMessagesIn,
  textOf,
} from '../../support/product/product.ts';
import { startRepliedProduct } from '../../support/product/replies.ts';

const secretProject = 'C04SECRETS1';
const change = 'Run again with changes';

/** Starts a private run that continues a conversation. Returns its message. */
async function continuedInPrivate() {
  const product = await startRepliedProduct();
  const { ada, workspace } = product;
  const me = `<@${workspace.bot.userId}>`;
  const { message } = await ada.types(secretProject, `${me} count the secrets`);
  await runMessageShowing(workspace, 'done: count the secrets', secretProject);
  await ada.types(secretProject, `${me} and name them`, { threadTs: message?.ts });
  const second = await runMessageShowing(workspace, 'done: and name them', secretProject);
  await workspace.until(() => product.creates().length === 2);
  const place = { channelId: secretProject, messageTs: second.ts };
  return { ...product, place };
}

it('a conversation continues where it began, and a new one begins where others could read it', async () => {
  const { ada, workspace, creates, place } = await continuedInPrivate();
  const [first, second] = creates();
  expect(first).not.toHaveProperty('conversation_id');
  expect(second).toMatchObject({ conversation_id: expect.any(String) });

  await picks({ workspace }, ada, place, change);
  const form = await workspace.until(() => ada.modal());
  expect(textOf(form.content)).toContain('In another channel, a new conversation starts');
  expect(await ada.submits({ prompt: 'tell everyone', channel: general })).toEqual({});
  await runMessageShowing(workspace, 'done: tell everyone', general);
  expect(creates()[2]).toMatchObject({ prompt: 'tell everyone' });
  expect(creates()[2]).not.toHaveProperty('conversation_id');

  // The public run has a new conversation, which replies to it continue.
  const shown = runMessagesIn(workspace).at(-1);
  await ada.types(general, 'and who did it?', { threadTs: shown?.ts });
  await runMessageShowing(workspace, 'done: and who did it?', general);
  expect(creates()[3]?.['conversation_id']).toEqual(expect.any(String));
  expect(creates()[3]?.['conversation_id']).not.toBe(second?.['conversation_id']);

  // In the private channel, the conversation continues.
  await picks({ workspace }, ada, place, change);
  await workspace.until(() => ada.modal());
  expect(await ada.submits({ prompt: 'and sort them' })).toEqual({});
  await runMessageShowing(workspace, 'done: and sort them', secretProject);
  expect(creates()[4]?.['conversation_id']).toBe(second?.['conversation_id']);
});

it('someone who has left a private channel repeats their run elsewhere, without its conversation', async () => {
  const product = await continuedInPrivate();
  const { ada, workspace, creates } = product;
  await ada.leaves(secretProject);
  await workspace.settled();
  const { picks: picksRow } = await homeOf(product, 'ada');
  await picksRow('and name them', 'again');
  await runMessageShowing(workspace, 'done: and name them', ada.directChannelId);
  expect(creates()).toHaveLength(3);
  expect(creates()[2]).not.toHaveProperty('conversation_id');
  expect(runMessagesIn(workspace, secretProject)).toHaveLength(2);
});

it('a thread and files of a private channel are never sent to a run that other people read', async () => {
  const { ada, workspace, creates } = await startRepliedProduct();
  const me = `<@${workspace.bot.userId}>`;
  const { message } = await ada.types(secretProject, 'the launch is on Monday');
  const threadTs = message?.ts ?? '';
  await ada.types(secretProject, `${me} count it`, { threadTs });
  const run = await runMessageShowing(workspace, 'Succeeded: count it', secretProject);

  await picks({ workspace }, ada, { channelId: secretProject, messageTs: run.ts }, change);
  const isRead = () => textOf(ada.modal()?.content).includes('Send the thread too');
  await workspace.until(isRead);
  const rejected = await ada.submits({ channel: general });
  expect(rejected.errors?.['context']).toMatch(/other people read/);
  expect(creates()).toHaveLength(1);
  expect(await ada.submits({ channel: general, context: null })).toEqual({});
  await runMessageShowing(workspace, 'Succeeded: count it', general);
  expect(textOf(creates()[1])).not.toContain('Monday');
});

it('a thread of a public channel can be sent along to another channel', async () => {
  const { ada, workspace, creates } = await startRepliedProduct();
  const me = `<@${workspace.bot.userId}>`;
  const { message } = await ada.types(general, 'the login page is blank');
  await ada.types(general, `${me} look`, { threadTs: message?.ts });
  const run = await runMessageShowing(workspace, 'Succeeded: look', general);
  await picks({ workspace }, ada, { channelId: general, messageTs: run.ts }, change);
  await workspace.until(() => textOf(ada.modal()?.content).includes('Send the thread too'));
  expect(await ada.submits({ channel: 'C04ENGINEER' })).toEqual({});
  await runMessageShowing(workspace, 'Succeeded: look', 'C04ENGINEER');
  expect(textOf(creates()[1])).toContain('login page');
});
