import { expect, it } from 'vitest';
import { addsRule } from '../../support/product/policy.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';
import { option, startAskingRun } from './asking-run.ts';

it('a question of an agent is asked in the thread of its run, and answered there by a button or a mention, by those whom a rule allows it', async () => {
  const { workspace, ada, grace, api, asks, message, cardShowing, told } = await startAskingRun();
  const alan = workspace.as('alan');
  const { text: shown, at } = await cardShowing('Run tests');
  expect(shown).toContain(`<@${grace.person.id}> ✋`);
  expect(shown).toContain('npm test &lt;!channel&gt;');
  expect(shown).not.toContain('"mrkdwn","text":"npm test');

  await alan.clicks(at, option(0));
  await ada.clicks(at, option(0));
  const rejection = `Only <@${grace.person.id}>, who started this run, can answer.`;
  await workspace.until(() => told(alan).includes(rejection) && told(ada).includes(rejection));
  const group = { text: { type: 'plain_text', text: '@oncall' }, value: 'S04ONCALL01' };
  const rule = { name: 'On call', groups: [group], channels: [general], answer: 'yes' };
  await addsRule({ workspace }, ada, rule);
  await ada.clicks(at, option(0));
  await workspace.until(() => told(ada).some((text) => text.includes('<!subteam^S04ONCALL01>')));
  expect(api.posted).toEqual([]);

  // If the service rejects an answer, the card shows the reason and accepts another answer.
  api.answersPosts(400, 200);
  await alan.clicks(at, option(0));
  const again = await cardShowing('The runs service rejected');
  expect(again.text).toContain('people in the rule \\"On call\\" can answer');
  await alan.clicks(at, option(2));
  const answered = await cardShowing(`🚫 Denied by <@${alan.person.id}>`);
  expect(answered.text).not.toContain('question:option');
  expect(api.posted).toEqual(
    ['yes', 'no'].map((id) => ({ to: 'answers', body: { question_id: 'q1', option_id: id } })),
  );

  asks({ id: 'q2', text: 'And now?' });
  await cardShowing('And now?');
  const mention = `<@${workspace.bot.userId}> `;
  const before = told(ada).length;
  await ada.types(general, `${mention}allow once`, { threadTs: message.ts });
  await workspace.until(() => told(ada).length > before);
  expect(told(ada).at(-1)).toContain('can answer.');
  expect(api.posted).toHaveLength(2);
  await grace.types(general, `${mention}Reject`, { threadTs: message.ts });
  await cardShowing(`🚫 Denied by <@${grace.person.id}>`);
  expect(api.posted[2]?.body).toEqual({ question_id: 'q2', option_id: 'no' });
});

it('a question has a form with everything, for text, for many options and for several fields', async () => {
  const details = 'x'.repeat(5_000);
  const { workspace, grace, api, asks, message, cardShowing } = await startAskingRun({
    asked: { details, takes_text: true, text: 'Which branch?' },
  });
  const alan = workspace.as('alan');
  const opens = async (person: typeof grace, place: { channelId: string; messageTs: string }) => {
    await person.clicks(place, 'question:open');
    return textOf((await workspace.until(() => person.modal())).content);
  };
  const text = await cardShowing('Which branch?');
  // The run message links to the card as soon as the card is posted.
  const linking = await runMessageShowing(workspace, 'Go to question');
  expect(textOf(linking.blocks)).toContain(`thread_ts=${message.ts}`);
  const read = await opens(alan, text.at);
  expect(read).toContain('who started this run, can answer');
  expect(read).not.toContain('plain_text_input');
  const form = await opens(grace, text.at);
  expect(form.match(/x/g)?.length).toBeGreaterThanOrEqual(5_000);
  expect((await grace.submits()).errors).toEqual({ text: 'Enter an answer.' });
  const both = await grace.submits({ option: '0', text: 'main' });
  expect(both.errors?.['text']).toContain('not both');
  await grace.submits({ option: 'none', text: 'main <!here>' });
  expect((await cardShowing('✅')).text).toContain('*main &lt;!here&gt;*');
  expect(api.posted[0]?.body).toEqual({ question_id: 'q1', text: 'main <!here>' });
  await grace.clicks(text.at, 'question:open');
  await workspace.until(() => textOf(grace.modal()?.content).includes('already answered'));
  await grace.closesModal();

  const many = Array.from({ length: 30 }, (_, n) => ({ id: `o${n}`, label: `Choice ${n}` }));
  asks({ id: 'q2', text: 'Which one?', options: many });
  await grace.clicks((await cardShowing('Which one?')).at, 'question:pick', '17');
  expect((await cardShowing('✅')).text).toContain('*Choice 17*');
  expect(api.posted[1]?.body).toEqual({ question_id: 'q2', option_id: 'o17' });

  const options = ['north', 'south'].map((id) => ({ id, label: `The ${id} <!here>` }));
  const fields = [
    { name: 'where', label: 'Where', kind: 'choice', is_required: true, options },
    { name: 'count', label: 'Replicas', kind: 'integer', is_required: true, maximum: 9 },
    { name: 'sure', label: 'Sure?', kind: 'boolean' },
    { name: 'notify', label: 'Notify', kind: 'choices', options },
    { name: 'why', label: 'Why', kind: 'text' },
  ];
  asks({ id: 'q3', text: 'Deploy?', options: [], fields });
  const deploy = await cardShowing('Deploy?');
  expect(deploy.text).toContain('Fields: Where · Replicas');
  await opens(grace, deploy.at);
  expect((await grace.submits({ 'field:1': '10' })).errors).toEqual({
    'field:0': 'Enter an answer.',
    'field:1': 'Enter a whole number, at most 9.',
  });
  const wanted = { 'field:0': '1', 'field:1': '3', 'field:2': '1', 'field:3': ['0', '1'] };
  expect(await grace.submits(wanted)).toEqual({});
  expect((await cardShowing('✅')).text).toContain('Where: The south &lt;!here&gt; · Replicas: 3');
  expect(api.posted[2]?.body).toEqual({
    question_id: 'q3',
    values: { where: 'south', count: 3, sure: false, notify: ['north', 'south'] },
  });
});

it('Home shows the question on top, and answers it', async () => {
  const { workspace, grace, api } = await startAskingRun();
  await grace.opensHome();
  const view = await workspace.until(() => grace.home());
  await workspace.until(() => textOf(view.content).includes('Needs input: Allow \\"Run tests\\"?'));
  expect(textOf(view.content)).toContain('*Needs you*');
  await grace.clicks({ view }, 'question:open');
  await workspace.until(() => grace.modal());
  expect(await grace.submits({ option: '0' })).toEqual({});
  await expect
    .poll(() => api.posted)
    .toEqual([{ to: 'answers', body: { question_id: 'q1', option_id: 'yes' } }]);
});

it('a question of a service that names none is answered with a follow-up, and closed with its run', async () => {
  const { workspace, grace, api, asks, cards, cardShowing, told } = await startAskingRun({
    asked: null,
  });
  api.takesFollowUps();
  await grace.clicks((await cardShowing('Which branch?')).at, 'question:open');
  await workspace.until(() => grace.modal());
  await grace.submits({ text: 'the main one' });
  expect((await cardShowing('✅')).text).toContain('*the main one*');
  expect(api.posted).toEqual([{ to: 'followups', body: { message: 'the main one' } }]);
  await runMessageShowing(workspace, 'In progress');

  // The agent asks the same question again. Slack no longer lets the app edit the old card, so the app deletes it.
  asks(null);
  const { at: old } = await cardShowing('question:open');
  expect(cards()).toHaveLength(2);
  const { channel, ts } = { channel: old.channelId, ts: old.messageTs };
  await workspace.faults.inject({ name: 'edit_window_closed', channel, ts });
  await grace.clicks(old, 'question:open');
  await workspace.until(() => grace.modal());
  await grace.submits({ text: 'the same one' });
  await workspace.until(() => cards().length === 1);
  expect(api.posted).toHaveLength(2);

  await runMessageShowing(workspace, 'In progress');
  asks(null);
  const { at } = await cardShowing('question:open');
  api.answers('CANCELLED');
  await cardShowing('the run has ended');
  await grace.clicks(at, 'question:open').catch(() => undefined);
  await workspace.settled();
  expect(told(grace)).toEqual([]);
});
