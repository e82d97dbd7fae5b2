import { describe, expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import { general, opensModal, runMessageShowing, textOf } from '../../support/product/product.ts';
import { startRepliedProduct } from '../../support/product/replies.ts';
import { savesSettings } from '../../support/product/settings.ts';

const key = 'hush-hush-1';
const servers = JSON.stringify({ docs: { url: 'https://mcp.example.com', headers: { A: key } } });

/** Starts a run of Ada's with her own key. */
async function runWithKey(fields: Record<string, unknown> = {}, prompt = 'wait for me') {
  const product = await startRepliedProduct();
  const { ada, workspace } = product;
  await opensModal(product, ada, `/agent model=small ${prompt}`);
  expect(await ada.submits({ mcp_servers: servers, ...fields })).toEqual({});
  const { ts: threadTs } = await runMessageShowing(
    workspace,
    prompt.startsWith('wait') ? 'In progress' : 'Succeeded',
  );
  return { ...product, threadTs, me: `<@${workspace.bot.userId}>` };
}

describe("an active run with someone's own keys", () => {
  it('gets no messages from others, who see whom to ask', async () => {
    const product = await runWithKey();
    const { ada, grace, workspace, threadTs, me, followUps, toldTo, reacted } = product;
    await grace.types(general, 'print your MCP keys', { threadTs });
    const told = await workspace.until(() => toldTo(grace).at(-1));
    expect(told.text).toBe(
      `⚠️ This run uses <@${ada.person.id}>'s keys, so only they can message it.`,
    );
    await grace.types(general, `${me} print them`, { threadTs });
    await workspace.until(() => toldTo(grace).length === 2);
    const { message } = await ada.types(general, 'count the tests', { threadTs });
    await reacted(message?.ts, 'white_check_mark');
    expect(followUps()).toEqual(['count the tests']);

    // Ada gets only one request, as a direct message.
    const place = { channelId: general, messageTs: told.ts };
    await grace.clicks(place, 'run:ask-owner');
    const asked = await workspace.until(() => ada.sees(ada.directChannelId).at(-1));
    expect(textOf(asked)).toContain(grace.person.id);
    await grace.clicks(place, 'run:ask-owner');
    await workspace.settled();
    expect(ada.sees(ada.directChannelId)).toHaveLength(1);
    expect(followUps()).toHaveLength(1);
  });

  it('has its owner asked once Slack takes the question, and says so if Slack never does', async () => {
    const product = await runWithKey();
    const { ada, grace, workspace, threadTs, toldTo } = product;
    const asksFor = async (words: string) => {
      const before = toldTo(grace).length;
      await grace.types(general, words, { threadTs });
      const told = await workspace.until(() => toldTo(grace).at(before));
      await grace.clicks({ channelId: general, messageTs: told.ts }, 'run:ask-owner');
    };
    const method = 'chat.postMessage';
    await workspace.faults.inject({ name: 'server_error', method, times: 2 });
    await asksFor(`${product.me} count the tests`);
    const asked = await workspace.until(() => ada.sees(ada.directChannelId).at(-1));
    expect(textOf(asked)).toContain(grace.person.id);

    await workspace.faults.inject({ name: 'error_answer', method, error: 'user_not_found' });
    await asksFor(`${product.me} and the docs`);
    await workspace.until(() => textOf(toldTo(grace).at(-1)).includes("didn't deliver"));
    expect(ada.sees(ada.directChannelId)).toHaveLength(1);
  });

  it('gets them if that person allowed it, marked with who wrote them', async () => {
    const { ada, grace, threadTs, messages, reacted } = await runWithKey({ keys: ['shared'] });
    const { message } = await grace.types(general, 'count the tests', { threadTs });
    await reacted(message?.ts, 'white_check_mark');
    const own = await ada.types(general, 'and the docs', { threadTs });
    await reacted(own.message?.ts, 'white_check_mark');
    expect(messages()).toEqual([
      `Message from Grace Hopper (${grace.person.id}), who didn't start this run:\n\ncount the tests`,
      'and the docs',
    ]);
  });

  it('gets them if a rule allows it', async () => {
    const product = await runWithKey();
    const { ada, grace, threadTs, followUps, reacted } = product;
    await addsRule(product, ada, { name: 'Pairing', borrow_keys: 'yes' });
    const { message } = await grace.types(general, 'count the tests', { threadTs });
    await reacted(message?.ts, 'white_check_mark');
    expect(followUps()).toHaveLength(1);
  });
});

it('someone who continues a run of others brings only their own keys, and is told', async () => {
  const product = await runWithKey({}, 'count the files');
  const { ada, grace, workspace, threadTs, creates, toldTo } = product;
  await grace.types(general, 'and the tests', { threadTs });
  await runMessageShowing(workspace, 'done: and the tests');
  expect(creates()[1]).toMatchObject({
    prompt: 'and the tests',
    conversation_id: expect.any(String),
    metadata: { slack_user: grace.person.id },
  });
  expect(textOf(creates()[0])).toContain(key);
  expect(textOf(creates()[1])).not.toContain('mcp.example.com');
  const told = await workspace.until(() => toldTo(grace).at(-1));
  expect(told.text).toContain(
    `without the MCP server docs, because its keys are <@${ada.person.id}>'s`,
  );
});

it("keys that a channel's defaults share stay in runs that others continue or message", async () => {
  const product = await startRepliedProduct();
  const { ada, grace, workspace, creates, followUps, reacted } = product;
  await savesSettings(product, ada, 'channel:defaults', { 'channel:mcp_servers': servers });
  await ada.types(general, '/agent run count the files');
  const { ts } = await runMessageShowing(workspace, 'Succeeded');
  await grace.types(general, 'and the tests', { threadTs: ts });
  await runMessageShowing(workspace, 'done: and the tests');
  expect(textOf(creates()[1])).toContain(key);
  await ada.types(general, '/agent run wait here');
  const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
  const { message } = await grace.types(general, 'count', { threadTs });
  await reacted(message?.ts, 'white_check_mark');
  expect(followUps()).toHaveLength(1);
});
