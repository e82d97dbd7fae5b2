import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/slack/people.ts';
import { createWhyNotSee, createWhyNotStart } from '../../src/slack/who-may-start.ts';

const somebody: Person = {
  name: 'Ada',
  picture: undefined,
  teamId: 'T1',
  standing: 'member',
  isAdmin: false,
};

describe('who may start and see runs', () => {
  it.each([
    ['a member', {}, undefined],
    ['a member whose workspace Slack does not name', { teamId: undefined }, undefined],
    ['a guest', { standing: 'guest' }, /^Guests of this workspace/],
    ['a stranger', { standing: 'stranger' }, /^Only members of the workspace/],
    ['a member of another workspace', { teamId: 'T2' }, /^Only members of the workspace/],
    ['a guest of another workspace', { teamId: 'T2', standing: 'guest' }, /^Only members/],
  ] as [string, Partial<Person>, RegExp | undefined][])('%s', async (_, changes, sentence) => {
    const person = { ...somebody, ...changes };
    const asked = { find: async () => person, recallFresh: () => undefined };
    const known = { find: () => Promise.reject(new Error('asked')), recallFresh: () => person };
    for (const whyNot of [
      createWhyNotStart(asked),
      createWhyNotStart(known),
      createWhyNotSee(asked),
    ]) {
      const said = await whyNot('T1', 'U1');
      if (sentence) expect(said).toMatch(sentence);
      else expect(said).toBeUndefined();
    }
  });
});
