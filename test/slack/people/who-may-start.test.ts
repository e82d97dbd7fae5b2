import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/slack/people/people.ts';
import { createWhyNotSee, createWhyNotStart } from '../../../src/slack/people/who-may-start.ts';

const ada: Person = {
  name: 'Ada',
  picture: undefined,
  teamId: 'T1',
  standing: 'member',
  isAdmin: false,
};
const recalling = (person?: Person) => () => new Map(person ? [['U1', person]] : []);
const busy = new WebAPIPlatformError({ ok: false, error: 'internal_error' });

describe('who may start and see runs', () => {
  it.each([
    ['a member', {}, undefined],
    ['a member whose workspace Slack does not name', { teamId: undefined }, undefined],
    ['a guest', { standing: 'guest' }, /^Guests of this workspace/],
    ['a stranger', { standing: 'stranger' }, /^Only members of the workspace/],
    ['a member of another workspace', { teamId: 'T2' }, /^Only members of the workspace/],
    ['a guest of another workspace', { teamId: 'T2', standing: 'guest' }, /^Only members/],
  ] as [string, Partial<Person>, RegExp | undefined][])('%s', async (_, changes, sentence) => {
    const person = { ...ada, ...changes };
    const people = { find: async () => person, recall: recalling() };
    for (const whyNot of [createWhyNotStart(people), createWhyNotSee(people)]) {
      const said = await whyNot('T1', 'U1');
      if (sentence) expect(said).toMatch(sentence);
      else expect(said).toBeUndefined();
    }
  });

  it.each([
    ['is in trouble', () => Promise.reject(busy)],
    ['doesn’t answer in time', () => new Promise<Person>(() => {})],
  ])('nobody, while Slack %s and has never said who they are', async (_, find) => {
    const people = { find, recall: recalling() };
    expect(await createWhyNotStart(people)('T1', 'U1', 1)).toMatch(/so nothing was started/);
    expect(await createWhyNotSee(people)('T1', 'U1', 1)).toMatch(/so no runs are shown/);
  });

  it('those of whom Slack said so last, while it says nothing', async () => {
    const find = () => Promise.reject(busy);
    const member = { find, recall: recalling(ada) };
    const guest = { find, recall: recalling({ ...ada, standing: 'guest' }) };
    expect(await createWhyNotStart(member)('T1', 'U1')).toBeUndefined();
    expect(await createWhyNotStart(guest)('T1', 'U1')).toMatch(/^Guests/);
  });
});
