import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPeople } from '../../../src/slack/people/people.ts';
import { AnsweringClient } from '../../support/answering-client.ts';

type Settle = { resolve(answer: object): void; reject(error: Error): void };

/** Creates a Slack that answers `users.info` only when the test releases it. */
function slowSlack() {
  const waiting: Settle[] = [];
  const info = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  const people = createPeople(new AnsweringClient({ 'users.info': info }));
  const answer = (name: string) =>
    waiting.shift()?.resolve({ ok: true, user: { name, team_id: 'T1' } });
  return { people, waiting, answer };
}

/** Reads a person from this answer of `users.info`. */
const read = (user: object | undefined) =>
  createPeople(new AnsweringClient({ 'users.info': () => ({ user }) })).find('U1');

describe('a person', () => {
  it('is asked for once, however many wait', async () => {
    const { people, waiting, answer } = slowSlack();
    const found = [people.find('U1'), people.find('U1')];
    expect(waiting).toHaveLength(1);
    answer('ada');
    expect((await Promise.all(found)).map(({ name }) => name)).toEqual(['ada', 'ada']);
    expect((await people.find('U1')).name).toBe('ada');
  });

  it('who is forgotten while Slack is asked is still found', async () => {
    const { people, answer } = slowSlack();
    const found = people.find('U1');
    people.forget('U1');
    answer('ada');
    expect((await found).name).toBe('ada');
  });

  it('is asked for again where it matters, and what was known counts meanwhile', async () => {
    const { people, waiting, answer } = slowSlack();
    const before = people.find('U1');
    answer('ada');
    await before;
    const now = people.findNow('U1');
    expect(people.recall(['U1']).get('U1')?.name).toBe('ada');
    waiting.shift()?.reject(new Error('no'));
    await expect(now).rejects.toThrow('no');
    expect(people.recall(['U1']).get('U1')?.name).toBe('ada');
  });

  it.each<[string, object | undefined]>([
    ['member', { team_id: 'T1' }],
    ['guest', { is_restricted: true }],
    ['guest', { is_ultra_restricted: true }],
    ['external', { is_stranger: true, is_restricted: true }],
    ['bot', { is_bot: true }],
    ['bot', { id: 'USLACKBOT', team_id: 'T1', is_bot: false }],
    ['deactivated', { deleted: true, is_bot: true }],
    ['unknown', undefined],
  ])('is a %s when Slack says %j', async (role, user) => {
    expect((await read(user)).role).toBe(role);
  });

  it('is in all workspaces of an organization that Slack names', async () => {
    const user = { team_id: 'T1', enterprise_user: { teams: ['T1', 'T2'] } };
    expect((await read(user)).teamIds).toEqual(['T1', 'T1', 'T2']);
  });
});

describe('what Slack said last', () => {
  afterEach(() => void vi.useRealTimers());

  it('counts for a day', async () => {
    vi.useFakeTimers();
    const { people, answer } = slowSlack();
    const found = people.find('U1');
    answer('ada');
    await found;
    vi.advanceTimersByTime(23 * 60 * 60_000);
    expect(people.recallRecent('U1')?.name).toBe('ada');
    vi.advanceTimersByTime(2 * 60 * 60_000);
    expect(people.recallRecent('U1')).toBeUndefined();
    expect(people.recallRecent('U2')).toBeUndefined();
  });
});
