import { describe, expect, it } from 'vitest';
import {
  general,
  runMessageShowing,
  runMessagesIn,
  textOf,
} from '../../support/product/product.ts';
import { letRepliesCount, startRepliedProduct } from '../../support/product/replies.ts';

type Product = Awaited<ReturnType<typeof startRepliedProduct>>;

async function reply({ grace }: Pick<Product, 'grace'>, threadTs: string, text: string) {
  const { message } = await grace.types(general, text, { threadTs });
  return message?.ts ?? '';
}

describe('a reply in the thread of an active run', () => {
  it("goes to the run where the channel's setting says so, unless it's for someone else", async () => {
    const product = await startRepliedProduct();
    const { ada, grace, workspace, followUps, reacted, toldTo } = product;
    await ada.types(general, '/agent run wait for me');
    const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
    await letRepliesCount(product, ada, 'mentions');
    await reply(product, threadTs, 'too early');
    // The app tells the run's creator once how to send the run a message.
    for (const text of ['mine is too early', 'and this'])
      await ada.types(general, text, { threadTs });
    const hint = `Mention <@${workspace.bot.userId}> to send this to the run.`;
    await workspace.until(() => toldTo(ada).some(({ text }) => text === hint));
    await workspace.settled();
    expect(toldTo(ada).filter(({ text }) => text === hint)).toHaveLength(1);
    await letRepliesCount(product, ada);

    workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    await reply(product, threadTs, `<@${ada.person.id}> what do you think?`);
    const sent = await reply(product, threadTs, 'also count the tests');
    await reacted(sent, 'white_check_mark');
    const named = await reply(product, threadTs, `<@${workspace.bot.userId}> and the docs`);
    await reacted(named, 'white_check_mark');
    await grace.edits(general, sent, 'also count the tests, please');
    await grace.deletes(general, named);
    await workspace.settled();
    expect(followUps()).toEqual(['also count the tests', 'and the docs']);
    expect(toldTo(grace)).toEqual([]);

    // A reply's text is sent without its files, and guests' replies aren't sent. The app says each once.
    const files = [{ id: 'F1', name: 'server.log', permalink: 'https://files.example/F1' }];
    for (const text of ['read the log', 'and this one']) {
      const { message } = await grace.types(general, text, { threadTs, files });
      await reacted(message?.ts, 'white_check_mark');
    }
    expect(toldTo(grace).map(({ text }) => text)).toEqual([
      expect.stringContaining('only accepts text'),
    ]);
    const guest = workspace.as('Sam Guest');
    await ada.invites(general, guest.person.id);
    for (const text of ['do this', 'and that', 'and this'])
      await guest.types(general, text, { threadTs });
    await workspace.until(() => toldTo(guest).length > 0);
    await reacted(await reply(product, threadTs, 'from a member'), 'white_check_mark');
    expect(followUps().slice(2)).toEqual(['read the log', 'and this one', 'from a member']);
    expect(toldTo(guest).map(({ text }) => text)).toEqual([
      expect.stringContaining("Guests can't send messages"),
    ]);

    // A reply that is only a command to stop cancels the run, if the author can cancel it.
    await reply(product, threadTs, 'stop');
    await workspace.until(() => textOf(toldTo(grace)).includes('who started this run'));
    const { message } = await ada.types(general, 'Cancel!', { threadTs });
    await reacted(message?.ts, 'white_check_mark');
    await runMessageShowing(workspace, 'Canceled');
    expect(followUps()).toHaveLength(5);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('waits for its run to start; an edit replaces it until then, and a deleted one is never sent', async () => {
    const product = await startRepliedProduct();
    const { ada, grace, workspace, holdAnswers, followUps, reacted } = product;
    const { reached, release } = holdAnswers((path) => path.endsWith('/agent/run'));
    await ada.types(general, '/agent run wait for me');
    await reached;
    const { ts: threadTs } = await workspace.until(() => runMessagesIn(workspace)[0]);
    const first = await reply(product, threadTs, 'cuont the tests');
    const second = await reply(product, threadTs, 'and forget it');
    const third = await reply(product, threadTs, 'and the docs');
    await grace.edits(general, first, 'count the tests, token=ghp_abcdefghijklmnopqrstuvwx');
    await grace.deletes(general, second);
    release();
    await reacted(third, 'white_check_mark');
    expect(followUps()).toEqual(['count the tests, token=[masked secret 1]', 'and the docs']);
    await workspace.until(() => textOf(product.toldTo(grace)).includes('looks like a secret'));
  });

  it('is the same message in both events of a mention, whenever Slack repeats one', async () => {
    const product = await startRepliedProduct();
    const { ada, workspace, followUps, reacted } = product;
    await letRepliesCount(product, ada, 'mentions');
    const me = `<@${workspace.bot.userId}>`;
    await ada.types(general, '/agent run wait for me');
    const { ts: threadTs } = await runMessageShowing(workspace, 'In progress');
    const deliverAgain = async (type: 'app_mention' | 'message', ts: string, text: string) => {
      const about = { user: product.grace.person.id, channel: general, channel_type: 'channel' };
      const event = { type, ...about, ts, text, thread_ts: threadTs };
      const payload = { type: 'event_callback', event_id: `Ev${type}`, team_id: workspace.team.id };
      await workspace.deliver({ kind: 'events_api', payload: { ...payload, event } });
    };

    const mention = `${me} count the tests`;
    const asMention = await reply(product, threadTs, mention);
    await reacted(asMention, 'hourglass_flowing_sand');
    await workspace.until(() => textOf(product.toldTo(product.grace)).includes('Sent to *'));
    await letRepliesCount(product, ada);
    await deliverAgain('message', asMention, mention);
    const asReply = await reply(product, threadTs, `${me} and the docs`);
    await reacted(asReply, 'white_check_mark');
    await letRepliesCount(product, ada, 'mentions');
    await deliverAgain('app_mention', asReply, `${me} and the docs`);
    await reacted(await reply(product, threadTs, `${me} that's all`), 'hourglass_flowing_sand');
    expect(followUps()).toEqual(['count the tests', 'and the docs', "that's all"]);
  });
});

describe('a reply in the thread of a run that has ended', () => {
  it('starts the next run of its conversation in the same thread, once', async () => {
    const product = await startRepliedProduct();
    const { ada, workspace, creates, reacted, baseUrl } = product;
    await ada.types(general, '/agent run name=nightly count the files');
    const { ts: threadTs } = await runMessageShowing(workspace, 'Succeeded');
    workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api' });
    const second = await reply(product, threadTs, 'also count the tests');
    const next = await runMessageShowing(workspace, 'done: also count the tests');
    expect(next.threadTs).toBe(threadTs);
    expect(textOf(next)).toContain(product.grace.person.id);
    await reacted(second, 'white_check_mark');
    await reply(product, threadTs, 'and the docs');
    await runMessageShowing(workspace, 'done: and the docs');
    await workspace.until(() => workspace.sessionStatus(general, threadTs) === 'active');

    const [one, two, three, ...others] = creates();
    expect(others).toEqual([]);
    expect(one).not.toHaveProperty('conversation_id');
    const { conversation_id: conversation } = await firstRun(baseUrl);
    expect([two, three]).toEqual([
      expect.objectContaining({ prompt: 'also count the tests', conversation_id: conversation }),
      expect.objectContaining({ prompt: 'and the docs', conversation_id: conversation }),
    ]);
    expect(two).toMatchObject({ config: { name: 'nightly' } });
    expect(runMessagesIn(workspace)).toHaveLength(3);

    // Replies below a mention that started a run work the same way, except in a discussion.
    const me = `<@${workspace.bot.userId}>`;
    const asked = await ada.types(general, `${me} count the lines`);
    await runMessageShowing(workspace, 'done: count the lines');
    await reply(product, asked.message?.ts ?? '', 'and the words');
    await runMessageShowing(workspace, 'done: and the words');
    const talk = await ada.types(general, 'the login page is blank');
    const discussion = talk.message?.ts ?? '';
    await ada.types(general, `${me} look into it`, { threadTs: discussion });
    await runMessageShowing(workspace, 'Succeeded: look into it');
    await reply(product, discussion, 'I think it is the proxy');
    await workspace.settled();
    expect(creates()).toHaveLength(6);

    // In direct messages, replies always count.
    const channelId = ada.directChannelId;
    const { message } = await ada.types(channelId, 'count directly');
    await runMessageShowing(workspace, 'done: count directly', channelId);
    await ada.types(channelId, 'and again', { threadTs: message?.ts });
    await runMessageShowing(workspace, 'done: and again', channelId);
    const direct = creates().slice(6);
    expect(direct.map(({ prompt, conversation_id: id }) => [prompt, id])).toEqual([
      ['count directly', undefined],
      ['and again', expect.any(String)],
    ]);
  });
});

async function firstRun(baseUrl: string): Promise<{ conversation_id: string }> {
  const authorization = 'Bearer test-key-of-ada-0123456789abcdefgh';
  const answer = await fetch(`${baseUrl}/agent/runs?sort_by=created_at&sort_order=asc`, {
    headers: { authorization },
  });
  const { runs } = (await answer.json()) as { runs: { conversation_id: string }[] };
  return runs[0] ?? { conversation_id: 'none' };
}
