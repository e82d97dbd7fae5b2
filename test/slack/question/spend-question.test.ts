import { describe, expect, it } from 'vitest';
import { denySpend, type Role } from '../../../src/slack/people/permissions.ts';
import { questionStatus } from '../../../src/slack/question/render-question.ts';
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

  it('without an answer has expired, also if the run has ended since then', () => {
    const request = asking();
    const open = openQuestion(request);
    const content = { question: open?.question ?? spendQuestion, names: [] };
    const ended = { ...request, step: 'ended' as const };
    const card = { postId: open?.postId ?? '', content, request: ended, answer: undefined };
    const closes = Date.parse(spendQuestion.expires_at ?? '');
    expect(questionStatus(card, closes)).toBe('expired');
    expect(questionStatus(card, closes - 1)).toBe('over');
  });
});

describe('spending can be approved', () => {
  const rule = { name: 'Spend' };
  const admin = { role: 'member', isAdmin: true } as const;
  const member = { role: 'member', isAdmin: false } as const;
  const noRule = { policy: { ask: 'a workspace admin' }, named: [] };
  const by = (value: boolean, named: string[] = []) => ({
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

  it.each<Role>(['guest', 'external', 'bot', 'deactivated', 'unknown'])(
    'never by people with the role "%s", whatever the rules say',
    (role) => {
      expect(denySpend({ role, isAdmin: true }, by(true))).toEqual(expect.any(String));
    },
  );

  it("not while Slack doesn't say if the rule applies", () => {
    const policy = { rule, isUnknown: true, ask: 'a workspace admin' } as const;
    expect(denySpend(admin, { policy, named: [] })).toMatch(
      /^Slack didn't say if the rule "Spend"/,
    );
  });
});
