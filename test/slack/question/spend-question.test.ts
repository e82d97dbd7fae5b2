import { describe, expect, it } from 'vitest';
import { denySpend, type Role } from '../../../src/slack/people/permissions.ts';
import { questionStatus, renderQuestion } from '../../../src/slack/question/render-question.ts';
import { answerFromReply } from '../../../src/slack/runs/acting/answer-question.ts';
import { openQuestion } from '../../../src/slack/runs/run-question.ts';
import { spendQuestion } from '../../preview/cases/a-question.ts';
import { aRequest, aRun } from '../../support/builders.ts';

const asking = (more: object = {}) =>
  aRequest({
    run: aRun({
      state: 'BLOCKED',
      agent_progress: { question: { ...spendQuestion, ...more } },
    }),
  });
const stopped = { state: 'FAILED', status_message: { message: '', error_code: 'budget_exceeded' } };
const unexpected = () => {
  throw new Error('not expected');
};

describe('a question about spending', () => {
  it('takes no text and no form, whatever the service says', () => {
    const fields = [{ name: 'amount', label: 'Amount', kind: 'number' }];
    const open = openQuestion(asking({ takes_text: true, fields }));
    expect(open?.question).toMatchObject({ takes_text: false });
    expect(open?.question.fields).toBeUndefined();
  });

  it.each(['allow', 'Allow $5.00 more', ' STOP HERE ', 'reject', 'deny'])(
    'is not answered by the reply %j',
    async (text) => {
      const parts = {
        answers: { find: unexpected, give: unexpected },
        rights: { authorizeAnswer: unexpected },
        wake: unexpected,
      };
      const ts = String(Date.now() / 1000);
      const replied = { text, ts };
      expect(
        await answerFromReply(parts, { request: asking(), userId: 'U1' }, replied),
      ).toMatchObject({ sentence: expect.stringContaining('Only the buttons in this thread') });
    },
  );

  it.each([
    ['expired', 'No one answered in time, so the run stops here', 'ended', stopped],
    ['over', 'Closed because the run has ended', 'ended', { state: 'CANCELLED' }],
    ['over', 'Closed because the run has ended', 'ended', { state: 'SUCCEEDED' }],
    ['closing', '⌛ Time to answer is over: This run', 'following', { state: 'INPROGRESS' }],
  ] as const)('after its time is %s (%s) in a run that is %s: %j', (status, text, step, run) => {
    const open = openQuestion(asking());
    const content = { question: open?.question ?? spendQuestion, names: [] };
    const request = aRequest({ step, run: aRun(run) });
    const card = { postId: open?.postId ?? '', content, request, answer: undefined };
    const closes = Date.parse(spendQuestion.expires_at ?? '');
    expect(questionStatus(card, closes)).toBe(status);
    const shown = renderQuestion({ ...card, status, who: '', hasTitle: false });
    expect(JSON.stringify(shown)).toContain(text);
  });
});

describe('spending can be approved', () => {
  const rule = { name: 'Spend' };
  const admin = { role: 'member', isAdmin: true } as const;
  const member = { role: 'member', isAdmin: false } as const;
  const noRule = { isCreator: false, policy: { ask: 'a workspace admin' }, named: [] };
  const by = (value: boolean, named: string[] = []) => ({
    isCreator: false,
    policy: { rule, value, ask: 'a workspace admin' },
    named,
  });

  it('by admins without a rule, and by those whom a rule allows', () => {
    expect(denySpend(admin, noRule)).toBeUndefined();
    expect(denySpend(member, noRule)).toBe(
      "You can't approve spending here. Ask a workspace admin.",
    );
    expect(denySpend(member, by(true))).toBeUndefined();
  });

  it('not by admins whom a rule blocks', () => {
    expect(denySpend(admin, by(false, ['<@U2>', '<!subteam^S1>']))).toBe(
      'The rule "Spend" blocks this. You can\'t approve spending here. Ask <@U2> or <!subteam^S1>.',
    );
    expect(denySpend(admin, by(false))).toBe(
      'The rule "Spend" blocks this. Ask a workspace admin to change the rule.',
    );
  });

  it('not by the creator as such, who can cancel instead', () => {
    expect(denySpend(member, { ...noRule, isCreator: true })).toBe(
      "You can't approve spending here. Ask a workspace admin. To stop your run, select *Cancel* in the run message.",
    );
    expect(denySpend(member, { ...by(false), isCreator: true })).toMatch(/ select \*Cancel\* in /);
    expect(denySpend(member, { ...by(true), isCreator: true })).toBeUndefined();
  });

  it.each<Role>(['guest', 'external', 'bot', 'deactivated', 'unknown'])(
    'never by people with the role "%s", whatever the rules say',
    (role) => {
      expect(denySpend({ role, isAdmin: true }, by(true))).toEqual(expect.any(String));
    },
  );

  it("not while Slack doesn't say if the rule applies", () => {
    const policy = { rule, isUnknown: true, ask: 'a workspace admin' } as const;
    expect(denySpend(admin, { isCreator: false, policy, named: [] })).toMatch(
      /^Slack didn't say if the rule "Spend"/,
    );
  });
});
