import type { Question } from 'runs-client/contract';
import type { Actor, LocalWorkspace } from 'slack-stand-in';
import { describe, expect, it } from 'vitest';
import { createPostgresDatabase } from '../../support/database/databases.ts';
import { startApiStub } from '../../support/network/api-stub.ts';
import { addsRule } from '../../support/product/policy.ts';
import {
  general,
  runMessageIn,
  runMessageShowing,
  startProduct,
  textOf,
} from '../../support/product/product.ts';

const question: Question = {
  id: 'q1',
  text: 'Allow "Run tests"?',
  details: 'npm test <!channel>',
  options: [
    { id: 'yes', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: 'Always allow', kind: 'allow_always' },
    { id: 'no', label: 'Reject', kind: 'reject_once' },
  ],
  takes_text: false,
};

type Asking = { replicas?: number; asked?: Partial<Question> | null };

/** Grace's run, which asks. Alan is in the group @oncall with her, Ada is an admin. */
async function asking({ replicas = 1, asked = {} }: Asking = {}) {
  const product = await startProduct();
  const api = await startApiStub();
  const blocked = (more: object = {}) =>
    api.answers('BLOCKED', {
      status_message: { message: 'Which branch?' },
      ...(asked && { agent_progress: { question: { ...question, ...asked, ...more } } }),
    });
  blocked();
  api.afterPosts(() => api.answers('INPROGRESS'));
  const shared = {
    runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' },
    ...(replicas > 1 && { databaseUrl: await createPostgresDatabase() }),
  };
  for (let count = 0; count < replicas; count += 1) await product.startBot(shared);
  const { workspace, grace } = product;
  const alan = workspace.as('alan');
  await grace.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Needs input');
  const card = () =>
    workspace
      .messagesIn(general, { thread: message.ts })
      .find(({ visibleTo, threadTs, blocks }) => threadTs && !visibleTo && blocks);
  const cardShowing = (words: string) =>
    workspace.until(() => {
      const shown = card();
      return shown && textOf(shown).includes(words) ? shown : undefined;
    });
  const asks = asked?.text ?? (asked ? question.text : 'Which branch?');
  const first = await cardShowing(JSON.stringify(asks).slice(1, -1));
  const at = { channelId: general, messageTs: first.ts, thread: message.ts };
  /** What only this person sees in the channel. */
  const told = (person: Actor) =>
    workspace
      .messagesIn(general)
      .concat(workspace.messagesIn(general, { thread: message.ts }))
      .filter(({ visibleTo }) => visibleTo === person.person.id)
      .map(({ text }) => text);
  return { ...product, alan, api, blocked, message, card, cardShowing, at, told };
}

/** Another full member in the channel. */
function joins(workspace: LocalWorkspace, name: string): Actor {
  const id = `U04${name.toUpperCase()}0001`;
  workspace.people.push({ ...workspace.as('grace').person, id, name, realName: name });
  workspace.channels.find((channel) => channel.id === general)?.memberIds.push(id);
  return workspace.as(id);
}

const option = (index: number) => `question:option:${index}`;

describe('a question of an agent', () => {
  it('is asked in the thread of its run, and answered there by a button', async () => {
    const { grace, api, cardShowing, at, card } = await asking();
    const shown = textOf(card());
    expect(shown).toContain(`<@${grace.person.id}> ✋`);
    expect(shown).toContain('npm test <!channel>');
    expect(shown).not.toContain('"mrkdwn","text":"npm test');
    await grace.clicks(at, option(0));
    await cardShowing(`✅ <@${grace.person.id}> answered`);
    expect(textOf(card())).toContain('*Allow once*');
    expect(textOf(card())).not.toContain('question:option');
    expect(api.posted).toEqual([{ to: 'answers', body: { question_id: 'q1', option_id: 'yes' } }]);
  });

  it('is removed when it was answered and Slack no longer lets the app edit it', async () => {
    const { workspace, grace, api, at, card, message } = await asking();
    await workspace.faults.inject({
      name: 'edit_window_closed',
      channel: general,
      ts: at.messageTs,
    });
    await grace.clicks(at, option(0));
    await workspace.until(() => card() === undefined);
    expect(api.posted).toHaveLength(1);
    expect(workspace.messagesIn(general).some(({ ts }) => ts === message.ts)).toBe(true);
  });

  it('counts one of a hundred clicks by five people on two replicas', async () => {
    const { workspace, ada, grace, alan, api, at, cardShowing, told } = await asking({
      replicas: 2,
    });
    const others = ['mary', 'joan'].map((name) => joins(workspace, name));
    const five = [ada, grace, alan, ...others];
    const people = five.map(({ person }) => person.id);
    await addsRule({ workspace }, ada, { name: 'Five', people, answer: 'yes' });
    // Slack doesn't show the answer yet, so they go on clicking.
    workspace.faults.inject({
      name: 'error_answer',
      method: 'chat.update',
      error: 'internal_error',
      times: 10_000,
    });
    for (let round = 0; round < 20; round += 1)
      await Promise.all(five.map((person, who) => person.clicks(at, option((who + round) % 3))));
    workspace.faults.clear();
    const card = await cardShowing('✅');
    expect(api.posted).toHaveLength(1);
    const chosen = question.options.find(({ id }) => textOf(api.posted).includes(`:"${id}"`));
    expect(textOf(card)).toContain(`*${chosen?.label}*`);
    const late = () => five.flatMap((person) => told(person));
    await expect.poll(() => late().length).toBeGreaterThan(50);
    for (const text of late()) expect(text).toContain('already answered this question');
  });

  it('is only answered by the creator and the people and groups whom a rule allows it', async () => {
    const { workspace, ada, grace, alan, api, at, told, cardShowing } = await asking();
    await alan.clicks(at, option(0));
    await ada.clicks(at, option(0));
    const refusal = `Only <@${grace.person.id}>, who started this run, can answer.`;
    await workspace.until(() => told(alan).includes(refusal) && told(ada).includes(refusal));
    const group = { text: { type: 'plain_text', text: '@oncall' }, value: 'S04ONCALL01' };
    const rule = { name: 'On call', groups: [group], channels: [general], answer: 'yes' };
    await addsRule({ workspace }, ada, rule);
    await ada.clicks(at, option(0));
    await workspace.until(() => told(ada).some((text) => text.includes('<!subteam^S04ONCALL01>')));
    expect(api.posted).toEqual([]);
    await alan.clicks(at, option(2));
    await cardShowing(`✅ <@${alan.person.id}> answered`);
    expect(api.posted).toHaveLength(1);
  });

  it('has a form with everything, also from the run message, and takes text', async () => {
    const details = 'x'.repeat(5_000);
    const { workspace, grace, alan, api, at, message, cardShowing } = await asking({
      asked: { details, takes_text: true, text: 'Which branch?' },
    });
    const inGeneral = { channelId: general, messageTs: message.ts };
    await alan.clicks(inGeneral, 'question:open');
    const read = await workspace.until(() => alan.modal());
    expect(textOf(read?.content)).toContain('who started this run, can answer');
    expect(textOf(read?.content)).not.toContain('plain_text_input');
    await grace.clicks(inGeneral, 'question:open');
    await workspace.until(() => grace.modal());
    expect(textOf(grace.modal()?.content).match(/x/g)?.length).toBeGreaterThanOrEqual(5_000);
    expect((await grace.submits()).errors).toEqual({ text: 'Enter an answer.' });
    const both = await grace.submits({ option: '0', text: 'main' });
    expect(both.errors?.['text']).toContain('not both');
    await grace.submits({ option: 'none', text: 'main <!here>' });
    await cardShowing('✅');
    expect(api.posted[0]?.body).toEqual({ question_id: 'q1', text: 'main <!here>' });
    expect(textOf(await cardShowing('answered'))).toContain('*main &lt;!here&gt;*');
    await grace.clicks(at, 'question:open');
    await workspace.until(() => textOf(grace.modal()?.content).includes('already answered'));
  });

  it('with many options has a menu', async () => {
    const options = Array.from({ length: 30 }, (_, n) => ({ id: `o${n}`, label: `Choice ${n}` }));
    const { grace, api, at, cardShowing } = await asking({ asked: { options } });
    await grace.clicks(at, 'question:pick', '17');
    expect(textOf(await cardShowing('✅'))).toContain('*Choice 17*');
    expect(api.posted[0]?.body).toEqual({ question_id: 'q1', option_id: 'o17' });
  });

  it('with several fields is one form, with an error at each field', async () => {
    const options = ['north', 'south'].map((id) => ({ id, label: `The ${id} <!here>` }));
    const fields = [
      { name: 'where', label: 'Where', kind: 'choice', is_required: true, options },
      { name: 'count', label: 'Replicas', kind: 'integer', is_required: true, maximum: 9 },
      { name: 'sure', label: 'Sure?', kind: 'boolean' },
      { name: 'notify', label: 'Notify', kind: 'choices', options },
      { name: 'why', label: 'Why', kind: 'text' },
    ];
    const { workspace, grace, alan, api, at, message, cardShowing } = await asking({
      asked: { text: 'Deploy?', options: [], fields },
    });
    expect(textOf(await cardShowing('Deploy?'))).toContain('Asks for: Where · Replicas');
    const inGeneral = { channelId: general, messageTs: message.ts };
    await alan.clicks(inGeneral, 'question:open');
    const read = await workspace.until(() => alan.modal());
    expect(textOf(read?.content)).not.toContain('plain_text_input');
    await grace.clicks(at, 'question:open');
    await workspace.until(() => grace.modal());
    expect((await grace.submits({ 'field:1': '10' })).errors).toEqual({
      'field:0': 'Enter an answer.',
      'field:1': 'Enter a whole number, at most 9.',
    });
    const wanted = { 'field:0': '1', 'field:1': '3', 'field:2': '1', 'field:3': ['0', '1'] };
    expect(await grace.submits(wanted)).toEqual({});
    expect(textOf(await cardShowing('✅'))).toContain(
      'Where: The south &lt;!here&gt; · Replicas: 3',
    );
    expect(api.posted[0]?.body).toEqual({
      question_id: 'q1',
      values: { where: 'south', count: 3, sure: false, notify: ['north', 'south'] },
    });
  });

  it('of a service that names none is answered with a follow-up', async () => {
    const { workspace, grace, api, at, blocked, cardShowing } = await asking({ asked: null });
    api.takesFollowUps();
    await grace.clicks(at, 'question:open');
    await workspace.until(() => grace.modal());
    await grace.submits({ text: 'the main one' });
    expect(textOf(await cardShowing('✅'))).toContain('*the main one*');
    expect(api.posted).toEqual([{ to: 'followups', body: { message: 'the main one' } }]);
    await expect.poll(() => textOf(runMessageIn(workspace))).toContain('In progress');
    // It asks again, in the same words.
    blocked();
    await workspace.until(
      () =>
        textOf(workspace.messagesIn(general, { thread: at.thread })).split('question:open').length >
        2,
    );
  });

  it('is answered by a mention in its thread, by people who may', async () => {
    const { workspace, grace, alan, api, at, message, cardShowing } = await asking();
    const mention = `<@${workspace.bot.userId}> `;
    await alan.types(general, `${mention}allow once`, { threadTs: message.ts });
    await workspace.until(() =>
      textOf(workspace.messagesIn(general, { thread: message.ts })).includes('can answer.'),
    );
    expect(api.posted).toEqual([]);
    await grace.types(general, `${mention}Reject`, { threadTs: message.ts });
    expect(textOf(await cardShowing('✅'))).toContain('*Reject*');
    expect(api.posted[0]?.body).toEqual({ question_id: 'q1', option_id: 'no' });
    expect(at.messageTs).not.toBe(message.ts);
  });

  it('says how it ended without an answer from Slack', async () => {
    const { api, cardShowing } = await asking();
    api.answers('INPROGRESS');
    await cardShowing('answered or closed outside of Slack');
  });

  it('that nobody answers says that its time is over', async () => {
    const { api, blocked, cardShowing } = await asking({
      asked: { expires_at: new Date(Date.now() + 12_000).toISOString() },
    });
    blocked({ expires_at: new Date(Date.now() + 12_000).toISOString() });
    await cardShowing('No one answered in time');
    api.answers('INPROGRESS');
    await cardShowing('No one answered in time');
  });

  it('of a canceled run is closed with it', async () => {
    const { grace, api, at, told, workspace, cardShowing } = await asking();
    api.answers('CANCELLED');
    await cardShowing('the run has ended');
    await grace.clicks(at, 'question:open').catch(() => undefined);
    expect(told(grace)).toEqual([]);
    await workspace.settled();
  });

  it('says why an answer was refused, and takes another one', async () => {
    const { grace, api, at, cardShowing } = await asking();
    api.answersPosts(400, 200);
    await grace.clicks(at, option(0));
    await cardShowing('refused the answer of');
    await grace.clicks(at, option(2));
    expect(textOf(await cardShowing('✅'))).toContain('*Reject*');
    expect(api.posted).toHaveLength(2);
  });
});
