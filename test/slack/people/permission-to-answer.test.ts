import { describe, expect, it } from 'vitest';
import { denyAnswer, type Role } from '../../../src/slack/people/permissions.ts';

const ask = 'a workspace admin';
const rule = { name: 'On call', answer: true };
const facts = {
  creatorId: 'U1',
  isCreator: false,
  isByWorkflow: false,
  policy: { ask },
  named: ['<@U2>', '<!subteam^S1>'],
};
const member = { role: 'member', isAdmin: false } as const;
const admin = { role: 'member', isAdmin: true } as const;

describe('an answer to an agent', () => {
  it.each([
    ['the creator', member, { isCreator: true }],
    ['people whom a rule allows it', member, { policy: { rule, value: true, ask } }],
    ['admins, if a workflow started the run', admin, { isByWorkflow: true }],
  ] as const)('is for %s', (_, actor, changes) => {
    expect(denyAnswer(actor, { ...facts, ...changes })).toBeUndefined();
  });

  it.each([member, admin])('is for nobody else, who see who may', (actor) => {
    const sentence = 'Only <@U1>, who started this run, and <@U2>, <!subteam^S1> can answer.';
    expect(denyAnswer(actor, facts)).toBe(sentence);
  });

  it('is rejected by a rule, which the sentence names', () => {
    const policy = { rule, value: false, ask };
    expect(denyAnswer(admin, { ...facts, policy, named: [] })).toBe(
      'The rule "On call" blocks this. Only <@U1>, who started this run, can answer.',
    );
  });

  it("waits while Slack doesn't say if a rule applies to the person", () => {
    const policy = { rule, isUnknown: true, ask } as const;
    expect(denyAnswer(member, { ...facts, policy })).toMatch(
      /"On call" applies to you, so nothing/,
    );
    expect(denyAnswer(member, { ...facts, policy, isCreator: true })).toBeUndefined();
  });

  it.each(['guest', 'external', 'bot', 'deactivated', 'unknown'] satisfies Role[])(
    'is never for someone who is %s, even the creator or a named person',
    (role) => {
      const policy = { rule, value: true, ask };
      const everything = { ...facts, isCreator: true, policy, isByWorkflow: true };
      expect(denyAnswer({ role, isAdmin: true }, everything)).toBeDefined();
    },
  );
});
