import type { Question } from 'runs-client/contract';
import { expect, it } from 'vitest';
import { spendQuestion } from '../../preview/cases/a-question.ts';
import { addsRule } from '../../support/product/policy.ts';
import { general, runMessageShowing, textOf } from '../../support/product/product.ts';
import { option, startAskingRun } from './asking-run.ts';

const [allow, stop] = [option(0), option(1)];
const atCap: Partial<Question> = {
  ...spendQuestion,
  asked_at: new Date().toISOString(),
  expires_at: new Date(Date.now() + 15 * 60_000).toISOString(),
};
const oncall = { text: { type: 'plain_text', text: '@oncall' }, value: 'S04ONCALL01' };

it('a run at a cap asks in its thread, and only people with the permission can allow more', async () => {
  const { workspace, ada, grace, api, message, cardShowing, told } = await startAskingRun({
    asked: atCap,
  });
  const alan = workspace.as('alan');
  const { text, at } = await cardShowing('This run has spent $5.00 of $5.00.');
  expect(text).toContain('Allow $5.00 more');
  expect(text).toContain('Only workspace admins can answer, so mention one');
  expect(text).not.toContain('You can also reply');
  const shown = textOf(await runMessageShowing(workspace, 'Needs input'));
  expect(shown).toContain('❓ This run has spent $5.00 of $5.00.');

  // The creator and other people can't, until a rule says so. Guests never can.
  const guest = workspace.as('sam');
  workspace.channels.find(({ id }) => id === general)?.memberIds.push(guest.person.id);
  for (const person of [grace, alan, guest]) await person.clicks(at, allow);
  const denial = "You can't approve spending here. Ask a workspace admin.";
  const ofCreator = `${denial} To stop your run, select *Cancel* in the run message.`;
  await workspace.until(() => told(grace).includes(ofCreator) && told(alan).includes(denial));
  await workspace.until(() => told(guest).some((each) => each.includes("Guests can't approve")));
  await grace.clicks(at, stop);
  await workspace.until(() => told(grace).filter((each) => each === ofCreator).length === 2);
  await addsRule({ workspace }, ada, { name: 'On call', groups: [oncall], spend: 'yes' });
  await addsRule({ workspace }, ada, { name: 'Frozen', after: 'On call', spend: 'no' });
  await ada.clicks(at, allow);
  await workspace.until(() => told(ada).some((each) => each.includes('"Frozen" blocks this')));
  expect(told(ada).at(-1)).toContain('Ask <!subteam^S04ONCALL01>.');

  // No text in the thread spends money.
  const mention = `<@${workspace.bot.userId}> `;
  const before = told(alan).length;
  await alan.types(general, `${mention}Allow $5.00 more`, { threadTs: message.ts });
  await workspace.until(() => told(alan).length > before);
  expect(told(alan).at(-1)).toContain('Only the buttons in this thread can allow more spending');
  expect(api.posted).toEqual([]);

  await alan.clicks(at, allow);
  const answered = await cardShowing(`✅ $5.00 more allowed by <@${alan.person.id}>`);
  expect(answered.text).not.toContain('question:option');
  expect(api.posted).toEqual([{ to: 'answers', body: { question_id: 'q2', option_id: 'allow' } }]);
  await ada.types(general, '/agent audit spending_decided');
  await workspace.until(() => told(ada).some((each) => each.includes('Allow $5.00 more')));
});

it('mentions the people and groups that rules name, and says who stopped the run', async () => {
  const { workspace, ada, grace, api, asks, cardShowing } = await startAskingRun();
  await cardShowing('Run tests');
  await addsRule({ workspace }, ada, { name: 'On call', groups: [oncall], spend: 'yes' });
  await addsRule({ workspace }, ada, {
    name: 'Leads',
    people: [ada.person.id],
    spend: 'yes',
    after: 'On call',
  });
  asks(atCap);
  const { text, at } = await cardShowing('This run has spent');
  for (const id of [`<@${grace.person.id}>`, `<@${ada.person.id}>`, '<!subteam^S04ONCALL01>'])
    expect(text).toContain(id);
  expect(text).toContain('Workspace admins, people in the rule \\"On call\\" and people in the');

  const stopped = {
    status_message: {
      message: 'This run has spent $5.00 of $5.00. It was stopped there.',
      error_code: 'budget_exceeded',
    },
    agent_progress: { changes: { files: 2, insertions: 41, deletions: 7 } },
    publication: { state: 'offered' },
  };
  api.afterPosts(() => api.answers('FAILED', stopped));
  await ada.clicks(at, stop);
  await cardShowing(`⏹️ Stopped by <@${ada.person.id}>`);
  const end = textOf(await runMessageShowing(workspace, 'Stopped at a cap'));
  expect(end).toContain('It was stopped there. Its changes until then are kept.');
  expect(end).toContain('Create pull request');
});

it('says once that 80% of a cap is spent, in the run message', async () => {
  const { workspace, api } = await startAskingRun();
  const spends = (usd: number) =>
    api.answers('INPROGRESS', {
      request_usage: {
        inference_cost_usd: usd,
        tightest_cap: { scope: 'run', per: 'run', spent_usd: usd, limit_usd: 5 },
      },
    });
  spends(3.99);
  const below = await runMessageShowing(workspace, '$3.99');
  expect(textOf(below)).not.toContain('has spent');
  spends(4);
  await runMessageShowing(workspace, '⚠️ This run has spent $4.00 of $5.00. At the cap,');
  api.answers('SUCCEEDED', { request_usage: { inference_cost_usd: 4.2 } });
  const ended = await runMessageShowing(workspace, 'Succeeded');
  expect(textOf(ended)).not.toContain('has spent');
  expect(textOf(ended)).toContain('$4.20');
});
