import { describe, expect, it } from 'vitest';
import { type Role, refuseAnswer } from '../../../src/slack/people/may.ts';

const facts = {
  ...{ creatorId: 'U1', isCreator: false, isNamed: false, isByWorkflow: false },
  named: ['<@U2>', '<!subteam^S1>'],
};
const member = { role: 'member', isAdmin: false } as const;
const admin = { role: 'member', isAdmin: true } as const;

describe('an answer to an agent', () => {
  it.each([
    ['the creator', member, { isCreator: true }],
    ['people whom the settings name', member, { isNamed: true }],
    ['admins, if a workflow started the run', admin, { isByWorkflow: true }],
  ] as const)('is for %s', (_, actor, changes) => {
    expect(refuseAnswer(actor, { ...facts, ...changes })).toBeUndefined();
  });

  it.each([member, admin])('is for nobody else, who see who may', (actor) => {
    const sentence = 'Only <@U1>, who started this run, and <@U2>, <!subteam^S1> can answer.';
    expect(refuseAnswer(actor, facts)).toBe(sentence);
  });

  it.each(['guest', 'external', 'bot', 'deactivated', 'unknown'] satisfies Role[])(
    'is never for someone who is %s, even the creator or a named person',
    (role) => {
      const everything = { ...facts, isCreator: true, isNamed: true, isByWorkflow: true };
      expect(refuseAnswer({ role, isAdmin: true }, everything)).toBeDefined();
    },
  );
});
